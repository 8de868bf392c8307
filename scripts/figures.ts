// What the parts of the bench measure and print with.

export async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

export function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}

export function spread(times: number[]): string {
  return `p50 ${ms(quantile(times, 0.5))}, p99 ${ms(quantile(times, 0.99))}`;
}

export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

export function row(what: string, figure: string, good?: boolean, goal?: string): void {
  const verdict = goal === undefined ? '' : `  [goal: ${goal}: ${good ? 'met' : 'MISSED'}]`;
  console.log(`${what.padEnd(50)} ${figure}${verdict}`);
}
