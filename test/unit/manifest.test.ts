import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { settingNames } from '../../src/editor/settingNames.ts';
import { createTools, type ToolPorts } from '../../src/tools/index.ts';
import { modelVendor, participantId } from '../../src/chat/names.ts';
import { ownCommands } from '../../src/chat/ownCommands.ts';
import { editorToolNames, toolGroups } from '../../src/editorTools/names.ts';
import { byKey, commandIds, onRow } from '../../src/editor/commandIds.ts';

interface Manifest {
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  enabledApiProposals?: string[];
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string; title: string; category: string }[];
    menus: Record<string, { command: string; when?: string }[]>;
    views: Record<string, { id: string }[]>;
    walkthroughs: { steps: { when?: string }[] }[];
    chatParticipants: { id: string; commands: { name: string; description: string }[] }[];
    languageModelChatProviders: { vendor: string }[];
    keybindings: { command: string; args?: unknown; when?: string }[];
    configuration: {
      properties: Record<
        string,
        {
          default: unknown;
          scope: string;
          order: number;
          markdownDescription: string;
          items?: { enum?: string[] };
        }
      >;
    };
  };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const { contributes } = manifest;
const sorted = (values: Iterable<string>) => [...values].sort();

const byLocale = (a: string, b: string) => a.localeCompare(b);

/** As the editor's `matchesWords` has it: what is typed goes on in the next letter, or at the start of a later word. */
function paletteFinds(typed: string, title: string): boolean {
  const letters = typed.toLowerCase();
  const target = title.toLowerCase();
  const starts = [...target.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map(({ index }) => index);
  const goesOn = (letter: number, at: number): boolean =>
    letter === letters.length ||
    (letters[letter] === target[at] &&
      [at + 1, ...starts.filter((start) => start > at)].some((next) => goesOn(letter + 1, next)));
  return starts.some((start) => goesOn(0, start));
}

describe('package.json', () => {
  it('contributes the commands that the code registers, and no others', () => {
    assert.deepEqual(
      sorted(contributes.commands.map(({ command }) => command)),
      sorted(Object.values(commandIds)),
    );
  });

  it('names only known commands in menus and keys', () => {
    const known = new Set<string>(Object.values(commandIds));
    const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];
    assert.deepEqual(
      used.filter(({ command }) => !known.has(command)),
      [],
    );
  });

  it('has no command whose title is the start of another: the palette would show both for it', () => {
    const titles = contributes.commands.map(({ title }) => title);
    const starts = titles.filter((title) =>
      titles.some((other) => other !== title && other.startsWith(title)),
    );
    assert.deepEqual(starts, []);
  });

  it('has no command that the palette shows below another when its title is typed', () => {
    const { commandPalette = [] } = contributes.menus;
    const isHidden = (id: string) =>
      commandPalette.some(({ command, when }) => command === id && when === 'false');
    const titles = contributes.commands.flatMap(({ command, title }) => (isHidden(command) ? [] : title));
    const first = (typed: string) => titles.filter((title) => paletteFinds(typed, title)).sort(byLocale)[0];
    const shadowed = titles.filter((title) => first(title.replace('…', '')) !== title);
    assert.deepEqual(shadowed, []);
    assert.equal(first('rename session'), 'Rename Claude Code Session…');
  });

  it('has its settings in an order, without gaps', () => {
    const orders = Object.values(contributes.configuration.properties).map(({ order }) => order);
    assert.deepEqual(
      orders.sort((a, b) => a - b),
      orders.map((_, index) => index + 1),
    );
  });

  it('tells the commands that must not take a key for another’s when it was one', () => {
    assert.deepEqual(
      contributes.keybindings.flatMap(({ command, args }) => (args === byKey ? [command] : [])),
      [
        'swallowKey',
        'swallowKey',
        'swallowKey',
        'acceptProposal',
        'rejectProposal',
        'runCode',
        'refuseCode',
        'keepHunk',
        'dropHunk',
        'keepChangedHunk',
        'revertHunk',
        'keepFile',
        'revertFile',
      ].map((name) => `ideBridge.${name}`),
    );
  });

  it('tells those that keys call on a row that it is the one with the focus, and only while a list has that', () => {
    const onRows = contributes.keybindings.filter(({ args }) => Array.isArray(args) && args[0] === onRow);
    assert.deepEqual(
      onRows.map(({ command, args, when }) => [command, args, when]),
      [
        ['acceptOrKeep', 'review'],
        ['rejectOrRevert', 'review'],
        ['renameSession', 'sessions'],
        ['deletePast', 'sessions'],
      ].map(([name, view]) => [
        `ideBridge.${name}`,
        [onRow, { $treeViewId: `ideBridge.${view}`, $focusedTreeItem: true }],
        `focusedView == ideBridge.${view} && listFocus && !inputFocus`,
      ]),
    );
  });

  it('names only views of its own, or of the editor, in menus and keys', () => {
    const ours = new Set(Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id)));
    const named = [...Object.values(contributes.menus).flat(), ...contributes.keybindings]
      .flatMap(({ when = '' }) => [...when.matchAll(/\b(?:view|focusedView) == (ideBridge\.\w+)/g)])
      .map(([, view = '']) => view);
    assert.deepEqual(sorted(new Set(named)), sorted(ours));
  });

  it('contributes the settings that the code reads, each with default, scope and text', () => {
    const { properties } = contributes.configuration;
    assert.deepEqual(
      sorted(Object.keys(properties)),
      sorted(settingNames.map((name) => `ideBridge.${name}`)),
    );
    for (const [name, { default: value, scope, markdownDescription }] of Object.entries(properties)) {
      assert.notEqual(value, undefined, name);
      assert.ok(scope && markdownDescription, name);
    }
  });

  it('lets the user turn off each tool', () => {
    const setting = contributes.configuration.properties['ideBridge.tools.disabled'];
    const tools = createTools({} as ToolPorts).map(({ name }) => name);
    const all = [...tools, ...editorToolNames, ...Object.values(toolGroups).flatMap(({ names }) => names)];
    assert.deepEqual(setting?.items?.enum, all);
    assert.equal(new Set(all).size, all.length);
  });

  it('has no editor tool with an underscore in its name: tools of other extensions have one', () => {
    assert.deepEqual(
      [...editorToolNames, ...Object.values(toolGroups).flatMap(({ names }) => names)].filter((name) =>
        name.includes('_'),
      ),
      [],
    );
  });

  it('contributes the chat participant and the models that the code registers', () => {
    assert.deepEqual(
      contributes.chatParticipants.map(({ id }) => id),
      [participantId],
    );
    assert.deepEqual(
      contributes.chatParticipants[0]?.commands,
      Object.entries(ownCommands).map(([name, description]) => ({ name, description })),
    );
    assert.deepEqual(
      contributes.languageModelChatProviders.map(({ vendor }) => vendor),
      [modelVendor],
    );
  });

  it('compiles against the oldest editor that it claims to run in', () => {
    const floor = /^\^(\d+\.\d+)\.0$/.exec(manifest.engines.vscode)?.[1];
    assert.ok(floor);
    assert.equal(manifest.devDependencies['@types/vscode'], `${floor}.0`);
  });

  it('uses no proposed API', () => {
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  // They fire for any change of the defaults, such as the first terminal's: VS Code focuses the step anew for each.
  it('has no step in the walkthrough that depends on a setting', () => {
    const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    assert.deepEqual(
      steps.map(({ when }) => when).filter((when) => when?.includes('config.')),
      [],
    );
  });
});
