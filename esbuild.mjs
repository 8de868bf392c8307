// Builds the extension (dist/) or, with --tests, the integration tests (out/).
import { build } from 'esbuild';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const production = process.argv.includes('--production');

/** The kinds of schemas that the input of a tool may have; the translation of another into JSON Schema would fail. */
const schemaKind =
  /^(any|array|boolean|default|enum|literal|never|null|nullable|number|object|optional|pipe|record|string|transform|union|unknown)$/;

/**
 * What the bridge does not use of `ws`: streams, the events of browsers, and compression with its negotiation, of which
 * only the name is asked for (`perMessageDeflate: false`); of `zod`: the translation of schemas that no tool has.
 * 14 kB together.
 * @type {import('esbuild').Plugin}
 */
const trimmed = {
  name: 'trimmed',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.\/lib\/stream\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
    const contents = "exports.extensionName = 'permessage-deflate'; exports.EventTarget = {};";
    onLoad({ filter: /[\\/]ws[\\/]lib[\\/](permessage-deflate|extension|event-target)\.js$/ }, () => ({
      contents,
    }));
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]json-schema-processors\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/^ +(\w+): \w+Processor,\n/gm, (line, kind) =>
        schemaKind.test(kind) ? line : '',
      ),
    }));
  },
};

/** @type {import('esbuild').BuildOptions} */
const shared = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
  sourcemap: !production,
  minify: production,
  charset: 'utf8',
  logLevel: 'warning',
};

if (process.argv.includes('--tests')) {
  await rm('out/test/integration', { recursive: true, force: true });
  await build({
    ...shared,
    // Mocha must be the one that runs the tests; playwright-core finds its own files by their place.
    external: ['vscode', 'mocha', 'playwright-core'],
    entryPoints: ['test/integration/index.ts', 'test/integration/**/*.test.ts'],
    outbase: 'test/integration',
    outdir: 'out/test/integration',
  });
  // What the notebook tests have instead of the Jupyter extension, and what lets a test into a window from outside;
  // zeromq finds its binary by its place.
  await build({
    ...shared,
    external: ['vscode', 'zeromq'],
    entryPoints: ['kernel', 'jupyter', 'remote'].flatMap((name) => [
      `test/fixtures/${name}/extension.ts`,
      `test/fixtures/${name}/package.json`,
    ]),
    loader: { '.json': 'copy' },
    outbase: 'test/fixtures',
    outdir: 'out/test',
  });
} else {
  await rm('dist', { recursive: true, force: true });
  const { metafile } = await build({
    ...shared,
    metafile: true,
    plugins: [trimmed],
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
  });
  await writeFile('dist/ThirdPartyNotices.txt', await thirdPartyNotices(metafile));
}

/** The licences of what is bundled, as they ask for. */
async function thirdPartyNotices({ inputs }) {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  const notices = [...packages].sort().map(async (name) => {
    const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, 'utf8'));
    return `${name} ${version}\n\n${(await readFile(`node_modules/${name}/LICENSE`, 'utf8')).trim()}\n`;
  });
  return `This extension contains the following packages.\n\n${(await Promise.all(notices)).join('\n---\n\n')}`;
}
