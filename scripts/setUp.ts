// What npm test does first: installs, or names, what this system lacks for it; with --all for every test there is.
import { parseArgs } from 'node:util';
import { chooseHost } from '../test/host/chooseHost.ts';
import { forNotebooks, forTerminals, forWindow, isInstalled, provide } from '../test/host/systemPackages.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { all: { type: 'boolean' } } });
  if (values.all) {
    provide([...forWindow, ...forNotebooks, ...forTerminals]);
  } else {
    // A desktop VS Code is its own window.
    const isWindowNeeded = !forWindow.every(isInstalled) && (await chooseHost()) === 'npm';
    provide([...(isWindowNeeded ? forWindow : []), ...forNotebooks]);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
