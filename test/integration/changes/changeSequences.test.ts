import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import * as vscode from 'vscode';
import { Changes } from '../../../src/changes/changes.ts';
import type { UndoneLines } from '../../../src/changes/changeSet.ts';
import { takeIn } from '../../../src/changes/ownLines.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { reviewRows } from '../../support/reviewRows.ts';
import { until } from '../../support/until.ts';
import { connectClient, endReview, useDesk } from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';
import { sequences, step } from '../sequences.ts';
import { withStored } from './stored.ts';

/** What a session has done to a file since it was last kept or reverted. */
interface Entry {
  /** Undefined: there was no file. */
  before: string | undefined;
  /** See `TakenIn`. */
  undone?: UndoneLines;
  /** The order of the first edits. */
  readonly at: number;
  /** What others did since then leaves open whether it is to be listed. */
  isDoubtful: boolean;
}

interface ModelFile {
  name: string;
  disk: string | undefined;
  /** What the editor holds and has not saved, and the text on disk that it began with. */
  unsaved: { text: string; base: string | undefined } | undefined;
  isOpen: boolean;
  /** All that it has ever been. */
  readonly texts: Set<string>;
  /** By session. */
  readonly entries: [Entry | undefined, Entry | undefined];
}

interface Model {
  files: ModelFile[];
  autoSaves: boolean;
  hasStash: boolean;
  lines: number;
}

interface Session {
  readonly client: IdeClient;
  /** As the view calls it. */
  readonly label: string;
}

describe('random sequences', () => {
  let nextPid = 3_800_000;
  const desk = useDesk(() => nextPid++);
  const nextDialog = useDialogs();
  const { showQuickPick } = vscode.window;

  beforeEach(async () => {
    await vscode.commands.executeCommand('ideBridge.review.focus');
    await endReview(); // what other tests have left
    await until('nothing listed', async () => (await listed()).length === 0);
  });
  afterEach(async () => {
    vscode.window.showQuickPick = showQuickPick;
    await endReview();
  });

  const rows = () => reviewRows(desk.ui.page);

  /** `session: file` for each file that is listed. */
  async function listed(): Promise<string[]> {
    const found = await rows().evaluateAll((elements) =>
      elements.map((element) => ({
        top: (element as unknown as { offsetTop: number }).offsetTop,
        level: element.getAttribute('aria-level'),
        text: element.querySelector('.label-name')?.textContent ?? '',
      })),
    );
    let session = '';
    return found
      .sort((a, b) => a.top - b.top)
      .flatMap(({ level, text }) => {
        if (level === '2') {
          session = text;
          return [];
        }
        return text === 'History' ? [] : [`${session}: ${text}`];
      });
  }

  async function announceAndWrite(client: IdeClient, path: string, text: string | undefined): Promise<void> {
    await client.call('getDiagnostics', { uri: `file://${path}` });
    if (text === undefined) {
      rmSync(path);
    } else {
      writeFileSync(path, text);
    }
    await client.call('getDiagnostics', {});
  }

  /** A session, and what the view calls it. */
  async function joined(client: IdeClient): Promise<Session> {
    const path = desk.scratch.path('a.marker.txt');
    await announceAndWrite(client, path, 'marker\n');
    const [row] = await until('the marker', async () => {
      const found = await listed();
      return found.length === 1 && found;
    });
    await endReview();
    rmSync(path);
    await until('nothing listed', async () => (await listed()).length === 0);
    return { client, label: row?.split(':')[0] ?? '' };
  }

  /** What a window that is opened now would list, from what this one has on disk. */
  function listedAnew(): Promise<string[]> {
    return withStored(async (sets, log) => {
      const changes = new Changes(sets, log);
      await changes.refresh();
      sets.dispose();
      return changes.all.map(({ set, snapshot }) => `${set.label}: ${basename(snapshot.path)}`);
    });
  }

  class Real {
    constructor(
      readonly folder: string,
      readonly sessions: readonly [Session, Session],
    ) {}

    path({ name }: ModelFile): string {
      return join(this.folder, name);
    }

    document(file: ModelFile): vscode.TextDocument | undefined {
      return vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === this.path(file));
    }

    async show(file: ModelFile): Promise<vscode.TextEditor> {
      const document = await vscode.workspace.openTextDocument(this.path(file));
      file.isOpen = true;
      return vscode.window.showTextDocument(document, { preview: false });
    }

    disk(file: ModelFile): string | undefined {
      return existsSync(this.path(file)) ? readFileSync(this.path(file), 'utf8') : undefined;
    }

    /** The disk and the editor hold what the model says, byte for byte. */
    async agree(model: Model): Promise<void> {
      for (const file of model.files) {
        await until(
          `${file.name} on disk to be ${JSON.stringify(file.disk)}`,
          () => this.disk(file) === file.disk,
          3_000,
          () => ({ disk: this.disk(file) }),
        );
        if (file.disk === undefined || !file.isOpen) continue;
        const text = file.unsaved?.text ?? file.disk;
        await until(
          `${file.name} in the editor to be ${file.unsaved ? 'unsaved ' : ''}${JSON.stringify(text)}`,
          () => {
            const document = this.document(file);
            return (
              !document || (document.getText() === text && document.isDirty === (file.unsaved !== undefined))
            );
          },
          5_000,
          () => ({ text: this.document(file)?.getText(), isDirty: this.document(file)?.isDirty }),
        );
      }
    }

    /** Each session's entry names only what it has changed, and all of it. */
    async agreeOnList(model: Model): Promise<void> {
      const pairs = model.files.flatMap((file) =>
        this.sessions.map(({ label }, session) => ({ file, label, entry: file.entries[session] })),
      );
      const must = pairs.filter(
        ({ file, entry }) => entry && !entry.isDoubtful && entry.before !== file.disk,
      );
      const may = pairs.filter(({ entry }) => entry?.isDoubtful === true);
      const name = ({ file, label }: (typeof pairs)[number]) => `${label}: ${file.name}`;
      await until(
        `the list to be ${must.map(name).join(', ') || 'empty'}${may.length > 0 ? `, with or without ${may.map(name).join(', ')}` : ''}`,
        async () => {
          const found = await listed();
          return (
            must.every((pair) => found.includes(name(pair))) &&
            found.every((row) => [...must, ...may].some((pair) => name(pair) === row))
          );
        },
        5_000,
        listed,
      );
    }

    /** It may fail, as it may for the user. @returns what it says */
    git(...args: string[]): string {
      const names = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'gc.auto=0'];
      return spawnSync('git', [...names, ...args], { cwd: this.folder, encoding: 'utf8' }).stdout;
    }

    /** Acts on the change of one session, although others may have changed the file, too. */
    async command(name: string, file: ModelFile, session: number): Promise<void> {
      const label = this.sessions[session]?.label;
      vscode.window.showQuickPick = (items: unknown) =>
        Promise.resolve((items as { label: string }[]).find((item) => item.label === label) as never);
      await vscode.commands.executeCommand(name, vscode.Uri.file(this.path(file)));
    }
  }

  /** The text on disk has become another by anybody but a session. */
  function wrote(file: ModelFile, text: string | undefined): void {
    for (const entry of file.entries) {
      // Saved over what was as before: from now on it is the user's. That a text comes to be as before again is rare.
      if (entry && (entry.before === file.disk || entry.before === text || text === undefined)) {
        entry.isDoubtful = true;
      }
    }
    file.disk = text;
    if (text !== undefined) file.texts.add(text);
  }

  /** Of what that may take, the unit tests tell. */
  function takeIntoBefore(entry: Entry, from: string, to: string): void {
    const before = entry.before === undefined ? undefined : Buffer.from(entry.before);
    const taken = takeIn(before, { from: Buffer.from(from), to: Buffer.from(to) }, entry.undone);
    if (taken) {
      entry.before = taken.bytes.toString();
      entry.undone = taken.undone;
    }
  }

  function saved(file: ModelFile): void {
    if (file.unsaved) {
      const { text } = file.unsaved;
      const from = file.disk;
      file.unsaved = undefined;
      if (text !== from) wrote(file, text);
      if (from !== undefined) file.entries.forEach((entry) => entry && takeIntoBefore(entry, from, text));
    }
  }

  const which = { session: fc.nat({ max: 1 }), file: fc.nat({ max: 2 }) };
  const of = (model: Readonly<Model>, file: number) => model.files[file] as ModelFile;
  let clock = 0;

  const agentEdit = fc
    .record({ ...which, how: fc.constantFrom('append', 'append', 'replace', 'delete') })
    .map(({ session, file, how }) =>
      step<Model, Real>(
        `session ${session + 1} ${how === 'append' ? 'appends to' : `${how}s`} ${'abc'[file]}`,
        (model) => how === 'append' || of(model, file).disk !== undefined,
        async (model, real) => {
          const its = of(model, file);
          const line = `agent ${++model.lines}\n`;
          const text =
            how === 'append'
              ? (its.disk ?? '') + line
              : how === 'replace'
                ? line + (its.disk ?? '').replace(/^agent \d+\n/m, '')
                : undefined;
          its.entries[session] ??= { before: its.disk, at: ++clock, isDoubtful: false };
          const entry = its.entries[session];
          await announceAndWrite(real.sessions[session]?.client as IdeClient, real.path(its), text);
          for (const other of its.entries) {
            if (other && other !== entry && (other.before === text || other.before === its.disk))
              other.isDoubtful = true;
          }
          entry.isDoubtful = entry.before === text;
          its.disk = text;
          if (text === undefined) its.isOpen = false;
          else its.texts.add(text);
          await real.agree(model);
        },
      ),
    );

  const userTypes = which.file.map((file) =>
    step<Model, Real>(
      `the user types into ${'abc'[file]}`,
      (model) => of(model, file).disk !== undefined,
      async (model, real) => {
        const its = of(model, file);
        const line = `user ${++model.lines}\n`;
        const editor = await real.show(its);
        await real.agree(model);
        await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), line));
        its.unsaved = {
          text: line + (its.unsaved?.text ?? its.disk ?? ''),
          base: its.unsaved ? its.unsaved.base : its.disk,
        };
        its.texts.add(its.unsaved.text);
        if (model.autoSaves) saved(its);
        await real.agree(model);
      },
    ),
  );

  const userSaves = which.file.map((file) =>
    step<Model, Real>(
      `the user saves ${'abc'[file]}`,
      (model) => {
        const { unsaved, disk } = of(model, file);
        return unsaved !== undefined && unsaved.base === disk;
      },
      async (model, real) => {
        const its = of(model, file);
        await real.document(its)?.save();
        saved(its);
        await real.agree(model);
      },
    ),
  );

  const userUndoes = which.file.map((file) =>
    step<Model, Real>(
      `the user undoes in ${'abc'[file]}`,
      (model) => {
        const { isOpen, disk, unsaved } = of(model, file);
        // Undone to what it was before a newer text came on disk, VS Code shows that as saved.
        return isOpen && disk !== undefined && (!unsaved || unsaved.base === disk);
      },
      async (model, real) => {
        const its = of(model, file);
        const { document } = await real.show(its);
        await vscode.commands.executeCommand('undo');
        if (model.autoSaves) await until('the auto-save', () => !document.isDirty);
        const text = document.getText();
        assert.ok(
          its.texts.has(text),
          `undo gives a text that ${its.name} never had: ${JSON.stringify(text)}`,
        );
        if (model.autoSaves) {
          if (text !== its.disk) wrote(its, text);
        } else {
          its.unsaved = document.isDirty ? { text, base: its.unsaved?.base ?? its.disk } : undefined;
        }
        await real.agree(model);
      },
    ),
  );

  const userMoves = which.file.map((file) =>
    step<Model, Real>(
      `the user renames ${'abc'[file]}`,
      (model) => of(model, file).disk !== undefined && of(model, file).unsaved === undefined,
      async (model, real) => {
        const its = of(model, file);
        const from = real.path(its);
        its.name = its.name.replace('.', '.x');
        const edit = new vscode.WorkspaceEdit();
        edit.renameFile(vscode.Uri.file(from), vscode.Uri.file(real.path(its)));
        assert.ok(await vscode.workspace.applyEdit(edit));
        its.entries.forEach((entry) => entry && (entry.isDoubtful = true));
        await real.agree(model);
      },
    ),
  );

  const userDeletes = which.file.map((file) =>
    step<Model, Real>(
      `the user deletes ${'abc'[file]}`,
      (model) => of(model, file).disk !== undefined && of(model, file).unsaved === undefined,
      async (model, real) => {
        const its = of(model, file);
        const edit = new vscode.WorkspaceEdit();
        edit.deleteFile(vscode.Uri.file(real.path(its)));
        assert.ok(await vscode.workspace.applyEdit(edit));
        wrote(its, undefined);
        its.isOpen = false;
        await real.agree(model);
      },
    ),
  );

  const isChange = (model: Readonly<Model>, file: number, session: number) => {
    const { entries, disk } = of(model, file);
    const entry = entries[session];
    return entry !== undefined && !entry.isDoubtful && entry.before !== disk;
  };

  const userKeeps = fc.record(which).map(({ session, file }) =>
    step<Model, Real>(
      `the user keeps ${'abc'[file]} of session ${session + 1}`,
      (model) => isChange(model, file, session),
      async (model, real) => {
        await real.agreeOnList(model);
        const its = of(model, file);
        await real.command('ideBridge.keepFile', its, session);
        its.entries[session] = undefined;
        await real.agree(model);
      },
    ),
  );

  const userReverts = fc.record(which).map(({ session, file }) =>
    step<Model, Real>(
      `the user reverts ${'abc'[file]} of session ${session + 1}`,
      (model) => isChange(model, file, session),
      async (model, real) => {
        await real.agreeOnList(model);
        const its = of(model, file);
        const entry = its.entries[session] as Entry;
        const reverted = real.command('ideBridge.revertFile', its, session);
        if (its.unsaved) {
          const dialog = await nextDialog();
          assert.ok(dialog.text.includes(its.name), dialog.text);
          assert.match(dialog.text, /with unsaved changes/);
          its.entries.forEach((other, index) => {
            if (other && index !== session && !other.isDoubtful && other.before !== its.disk) {
              assert.ok(dialog.text.includes(real.sessions[index]?.label ?? '?'), dialog.text);
            }
          });
          dialog.press('Revert File');
        }
        await reverted;
        its.entries.forEach((other, index) => {
          if (other && other.at >= entry.at) its.entries[index] = undefined;
          else if (other && other.before === entry.before) other.isDoubtful = true;
        });
        its.disk = entry.before;
        its.unsaved = undefined;
        if (its.disk === undefined) its.isOpen = false;
        await real.agree(model);
      },
    ),
  );

  /** Nobody's edit: neither an agent's, nor one of which the editor tells. */
  const userRuns = (name: string, canRun: (model: Readonly<Model>) => boolean, ...commands: string[][]) =>
    fc.constant(
      step<Model, Real>(`the user runs git ${name}`, canRun, async (model, real) => {
        commands.forEach((args) => real.git(...args));
        model.hasStash = real.git('stash', 'list') !== '';
        for (const its of model.files) {
          const text = real.disk(its);
          if (text !== its.disk) wrote(its, text);
          if (text === undefined) its.isOpen = false;
        }
        await real.agree(model);
      }),
    );

  const all = ['add', '--all'];
  const userUsesGit = fc.oneof(
    userRuns('commit', () => true, all, ['commit', '--quiet', '--allow-empty', '--message=more']),
    userRuns('stash', ({ hasStash }) => !hasStash, ['stash', 'push', '--quiet', '--include-untracked']),
    userRuns(
      'stash pop',
      ({ hasStash }) => hasStash,
      all,
      ['reset', '--hard', '--quiet'],
      ['stash', 'pop', '--quiet'],
    ),
    userRuns('discard', () => true, ['checkout', '--quiet', '--', '.'], ['clean', '--force', '--quiet']),
    userRuns('reset', () => true, ['reset', '--hard', '--quiet']),
  );

  const windowIsReloaded = fc.constant(
    step<Model, Real>(
      'a new window lists the same',
      () => true,
      async (model, real) => {
        await real.agreeOnList(model);
        await until(
          'what a new window lists',
          async () => String((await listedAnew()).sort()) === String((await listed()).sort()),
          5_000,
          async () => ({ now: await listed(), anew: await listedAnew() }),
        );
      },
    ),
  );

  const { parameters, count, timeout } = sequences();

  it(`of edits by two sessions and the user: ${count} of them`, async function () {
    this.timeout(timeout);
    this.retries(0);
    const other = await connectClient(nextPid++);
    const pair = [await joined(desk.client), await joined(other)] as const;
    let runs = 0;
    const steps = [
      agentEdit,
      agentEdit,
      userTypes,
      userSaves,
      userUndoes,
      userMoves,
      userDeletes,
      userKeeps,
      userReverts,
      userUsesGit,
      windowIsReloaded,
    ];
    const property = fc.asyncProperty(
      fc.boolean(),
      fc.commands(steps, { maxCommands: 10 }),
      async (autoSaves, commands) => {
        const folder = join(desk.scratch.folder, String(++runs));
        mkdirSync(folder);
        await desk.configure('files.autoSave', autoSaves ? 'afterDelay' : undefined);
        const files = ['a.txt', 'b.txt', 'c.txt'].map((name, index): ModelFile => {
          const disk = index === 2 ? undefined : `first of ${name}\n`;
          if (disk !== undefined) writeFileSync(join(folder, name), disk);
          return {
            name,
            disk,
            unsaved: undefined,
            isOpen: false,
            texts: new Set(disk === undefined ? [] : [disk]),
            entries: [undefined, undefined],
          };
        });
        const model: Model = { files, autoSaves, hasStash: false, lines: 0 };
        const real = new Real(folder, pair);
        real.git('init', '--quiet');
        real.git('add', '--all');
        real.git('commit', '--quiet', '--message=first');
        try {
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await real.agreeOnList(model);
        } finally {
          await endReview();
          for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
            await vscode.window.showTextDocument(document);
            await vscode.commands.executeCommand('workbench.action.files.revert');
          }
          await vscode.commands.executeCommand('workbench.action.closeAllEditors');
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
    await desk.configure('files.autoSaveDelay', 50);
    await fc.assert(property, parameters);
  });
});
