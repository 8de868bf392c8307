/** How long each outermost suite takes, with its hooks and second tries: where the time of a run goes. */
export class SuiteTimes {
  private readonly seconds: { title: string; seconds: number }[] = [];

  watch(runner: Mocha.Runner): void {
    let began = 0;
    const isOutermost = ({ parent }: Mocha.Suite) => parent?.root === true;
    runner.on('suite', (suite) => {
      if (isOutermost(suite)) began = Date.now();
    });
    runner.on('suite end', (suite) => {
      if (isOutermost(suite)) {
        this.seconds.push({ title: suite.title, seconds: (Date.now() - began) / 1000 });
      }
    });
  }

  /** The slowest first, those under a second left out. */
  table(): string {
    return this.seconds
      .filter(({ seconds }) => seconds >= 1)
      .sort((a, b) => b.seconds - a.seconds)
      .map(({ title, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${title}`)
      .join('\n');
  }
}
