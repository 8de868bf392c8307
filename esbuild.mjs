// Builds the extension (dist/) or, with --tests, the integration tests (out/).
import { build, transform } from 'esbuild';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Bytes, by the module that is imported when it is first used; each without what the start has loaded already. */
const budgets = {
  'src/extension.ts': 250_000,
  'src/api/apis.ts': 17_000,
  'src/api/propose.ts': 21_000,
  'src/api/registerTool.ts': 12_000,
  'src/base/patch.ts': 7_000,
  'src/changes/branchSwitches.ts': 5_500,
  'src/changes/changeCommands.ts': 22_000,
  'src/changes/changeRows.ts': 14_000,
  'src/changes/copyPatch.ts': 12_000,
  'src/changes/hunkReview.ts': 31_000,
  'src/changes/revertFile.ts': 3_000,
  'src/changes/shellEdits.ts': 20_700,
  'src/changes/stage.ts': 5_000,
  'src/changes/treeGit.ts': 7_100,
  'src/changes/turnCommands.ts': 10_000,
  'src/changes/turnStarts.ts': 5_000,
  'src/changes/undoDecision.ts': 10_000,
  'src/changes/unwatchedEdits.ts': 57_000,
  'src/changes/userSaves.ts': 7_500,
  'src/chat/apiKey.ts': 3_500,
  'src/chat/chat.ts': 100_000,
  'src/chat/editorAgents.ts': 61_000,
  'src/chat/folderAgents.ts': 61_000,
  'src/chat/itsFolder.ts': 9_500,
  'src/chat/mcpServers.ts': 7_000,
  'src/chat/modelApi.ts': 25_000,
  'src/chat/participant.ts': 5_500,
  'src/chat/pastImages.ts': 9_500,
  'src/chat/pastOutput.ts': 35_000,
  'src/chat/permissionQuestion.ts': 13_000,
  'src/chat/pickers.ts': 12_000,
  'src/chat/resumePast.ts': 46_000,
  'src/chat/said.ts': 8_000,
  'src/chat/toolsOfExtensions.ts': 12_000,
  'src/comments/comments.ts': 20_000,
  'src/doctor/pages.ts': 16_000,
  'src/documents/formatFile.ts': 3_500,
  'src/documents/typescript.ts': 5_500,
  'src/editor/showTab.ts': 2_000,
  'src/editor/tell.ts': 2_500,
  'src/editor/terminalInput.ts': 8_000,
  'src/editorTools/copyConfiguration.ts': 4_000,
  'src/editorTools/debugging.ts': 40_000,
  'src/editorTools/editing.ts': 29_000,
  'src/editorTools/editorTools.ts': 74_500,
  'src/editorTools/inputSchema.ts': 150_000,
  'src/editorTools/running.ts': 32_000,
  'src/mentions/mentionCommands.ts': 5_500,
  'src/mentions/reasons.ts': 14_000,
  'src/notebooks/codeRuns.ts': 15_000,
  'src/notebooks/runQuestions.ts': 4_600,
  'src/past/deletePast.ts': 18_500,
  'src/past/openTranscript.ts': 42_000,
  'src/past/past.ts': 19_300,
  'src/proposals/acceptedFiles.ts': 1_500,
  'src/proposals/changedFile.ts': 7_000,
  'src/proposals/leftTexts.ts': 3_000,
  'src/proposals/mayDecideAll.ts': 2_000,
  'src/proposals/proposalCommands.ts': 9_000,
  'src/proposals/proposalRows.ts': 4_500,
  'src/proposals/rejectedTexts.ts': 2_500,
  'src/proposals/reviewAll.ts': 2_500,
  'src/records/records.ts': 44_500,
  'src/relay/main.ts': 70_000,
  'src/server/lineage.ts': 4_000,
  'src/server/streamableHttp.ts': 140_000,
  'src/server/webSockets.ts': 45_000,
  'src/sessions/focusReturn.ts': 2_000,
  'src/sessions/launchProblems.ts': 2_000,
  'src/sessions/reconnect.ts': 5_500,
  'src/sessions/resume.ts': 5_000,
  'src/sessions/whenAsked.ts': 5_500,
  'src/sharing/chooseSharing.ts': 3_000,
  'src/tools/jsonSchema.ts': 20_000,
  'src/ui/sessionItems.ts': 8_500,
  'src/ui/menu.ts': 4_500,
};

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
    // Else all chunks have it: esbuild looks at all of them at once for what nobody uses of an index.
    onResolve({ filter: /^zod\/v4\/core$/ }, ({ importer }) =>
      importer.endsWith('jsonSchema.ts')
        ? { path: resolve('node_modules/zod/v4/core/json-schema-processors.js'), sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/](core[\\/]index|mini[\\/]external)\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/^export .*json-schema.*;$/gm, ''),
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

/**
 * What is shared with the start is there when a chunk is loaded: with a chunk for each combination of those who share
 * it, the glue of some twenty chunks would be loaded at the start.
 * @type {import('esbuild').Plugin}
 */
const afterStart = {
  name: 'after start',
  setup({ onStart, onLoad }) {
    const start = resolve('src/extension.ts');
    /** By their paths, so that each has the same contents whoever asks for it first. */
    const loadedLater = new Set();
    onStart(async () => {
      const sources = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts'));
      for (const source of sources.map((name) => resolve('src', name))) {
        for (const [, path] of (await readFile(source, 'utf8')).matchAll(/\bimport\('([^']+)'\)/g)) {
          loadedLater.add(resolve(dirname(source), path));
        }
      }
    });
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) =>
      loadedLater.has(path)
        ? {
            // At its end, so that its lines keep their numbers.
            contents: `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(start)};`,
            loader: 'ts',
            resolveDir: dirname(path),
          }
        : undefined,
    );
  },
};

/** What is bundled by itself, see `selfContained`; for the notices. */
const packedInputs = {};

/**
 * A module with all that it needs, and nothing of the others: the official MCP library has the whole of `zod`, of which
 * the start would get what it shares with the small one, as files are not split.
 * @type {import('esbuild').Plugin}
 */
const selfContained = {
  name: 'self-contained',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]server[\\/]streamableHttp\.ts$/ }, async ({ path }) => {
      const { outputFiles, metafile } = await build({
        ...shared,
        entryPoints: [path],
        format: 'esm',
        sourcemap: false,
        metafile: true,
        write: false,
      });
      Object.assign(packedInputs, metafile.inputs);
      return { contents: outputFiles[0].text, loader: 'js' };
    });
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
    entryPoints: ['kernel', 'jupyter', 'remote', 'models', 'sample', 'python'].flatMap((name) => [
      `test/fixtures/${name}/extension.ts`,
      `test/fixtures/${name}/package.json`,
    ]),
    loader: { '.json': 'copy' },
    outbase: 'test/fixtures',
    outdir: 'out/test',
  });
} else {
  await rm('dist', { recursive: true, force: true });
  // What is imported when it is first used is a chunk of its own. esbuild splits ES modules only, and editors before
  // 1.100 load CommonJS only: so the chunks are translated once they are split.
  const { metafile, outputFiles } = await build({
    ...shared,
    metafile: true,
    plugins: [trimmed, selfContained, afterStart],
    entryPoints: ['src/extension.ts'],
    chunkNames: 'chunks/[name]-[hash]',
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    sourcemap: shared.sourcemap && 'inline',
    write: false,
  });
  for (const { path, text } of outputFiles) {
    const { code, map } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minify: production,
      sourcemap: shared.sourcemap,
      sourcefile: path,
      charset: 'utf8',
      supported: { 'dynamic-import': false },
    });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, map ? `${code}//# sourceMappingURL=${basename(path)}.map\n` : code);
    if (map) await writeFile(`${path}.map`, map);
  }
  // What MCP clients start that know only of programs: it runs in any Node, without the editor.
  const relay = await build({
    ...shared,
    metafile: true,
    plugins: [trimmed],
    entryPoints: { relay: 'src/relay/main.ts' },
    outdir: 'dist',
    sourcemap: false,
  });
  await writeFile(
    'dist/ThirdPartyNotices.txt',
    await thirdPartyNotices({ ...metafile.inputs, ...packedInputs }),
  );
  if (production) await checkBudgets(metafile, relay.metafile);
}

/** The licences of what is bundled, as they ask for. */
async function thirdPartyNotices(inputs) {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  );
  const notices = [...packages].sort().map(async (name) => {
    const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, 'utf8'));
    return `${name} ${version}\n\n${(await readFile(`node_modules/${name}/LICENSE`, 'utf8')).trim()}\n`;
  });
  return `This extension contains the following packages.\n\n${(await Promise.all(notices)).join('\n---\n\n')}`;
}

/** @throws when a chunk is larger than it may be, or has no budget. */
async function checkBudgets(...metafiles) {
  const outputs = Object.assign({}, ...metafiles.map((each) => each.outputs));
  const reachable = (path, found = new Set()) => {
    if (!found.has(path)) {
      found.add(path);
      const { imports } = outputs[path];
      imports
        .filter(({ kind }) => kind === 'import-statement')
        .forEach((next) => next.external || reachable(next.path, found));
    }
    return found;
  };
  const entries = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint);
  const start = reachable('dist/extension.js');
  for (const [path, { entryPoint }] of entries) {
    const chunks = [...reachable(path)].filter(
      (each) => entryPoint === 'src/extension.ts' || !start.has(each),
    );
    const sizes = await Promise.all(chunks.map(async (each) => (await stat(each)).size));
    const size = sizes.reduce((sum, each) => sum + each, 0);
    const budget = budgets[entryPoint] ?? 0;
    console.log(`${entryPoint}: ${size} bytes of ${budget}`);
    if (size > budget) {
      throw new Error(
        `${entryPoint} and what it imports have ${size} bytes; the budget in esbuild.mjs is ${budget}.`,
      );
    }
  }
}
