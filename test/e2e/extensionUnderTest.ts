import type { WorkbenchOptions } from '../host/workbench.ts';

/** How a VS Code gets the extension: installed, as by a user, from a .vsix, else under development from its folder. */
export function extensionUnderTest(): Required<Pick<WorkbenchOptions, 'vsix' | 'extensionDevelopmentPaths'>> {
  const extension = process.env.IDE_BRIDGE_E2E_EXTENSION;
  if (extension === undefined) throw new Error('start these tests with `npm run test:cli`');
  return extension.endsWith('.vsix')
    ? { vsix: [extension], extensionDevelopmentPaths: [] }
    : { vsix: [], extensionDevelopmentPaths: [extension] };
}
