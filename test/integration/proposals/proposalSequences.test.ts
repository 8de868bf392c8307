import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import * as vscode from 'vscode';
import { diffsOf } from '../../../src/editor/tabContent.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { until } from '../../support/until.ts';
import { connectClient, letMomentPass, propose, tabs, useDesk } from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';
import { sequences, step } from '../sequences.ts';

interface Proposed {
  readonly session: number;
  readonly file: number;
  readonly tabName: string;
  readonly uri: vscode.Uri;
  /** What the proposed side holds. */
  text: string;
  /** What the file was when it was proposed. */
  readonly base: string | undefined;
  isEdited: boolean;
  /** What the client has to be answered, once it is decided. */
  expected: string[] | 'disconnected' | undefined;
  /** What it was answered. */
  answers: (string[] | 'disconnected')[];
}

interface Model {
  readonly proposals: Proposed[];
  readonly files: { disk: string; unsaved: string | undefined }[];
  /** In an editor that shows several. */
  together: Proposed[];
  /** Texts of the user for which nobody waited any more. */
  readonly kept: string[];
  readonly autoSaves: boolean;
  lines: number;
}

describe('random sequences', () => {
  let nextPid = 3_700_000;
  const desk = useDesk(() => nextPid++);
  const nextDialog = useDialogs();

  /** The proposals that tabs show: alone, or together with others. */
  function shown(): { alone: string[]; together: string[] } {
    const ofUs = (uris: vscode.Uri[]) =>
      uris.filter(({ scheme }) => scheme === 'ide-bridge-proposal').map(String);
    const inputs = tabs().map(({ input }) => input);
    return {
      alone: ofUs(
        inputs.flatMap((input) => (input instanceof vscode.TabInputTextDiff ? [input.modified] : [])),
      ),
      together: ofUs(inputs.flatMap((input) => diffsOf(input).map(({ modified }) => modified))),
    };
  }

  const pending = (model: Readonly<Model>) => model.proposals.filter(({ expected }) => !expected);
  const pick = (model: Readonly<Model>, index: number): Proposed | undefined => {
    const found = pending(model);
    return found[index % Math.max(found.length, 1)];
  };

  class Real {
    constructor(
      readonly paths: readonly string[],
      readonly clients: IdeClient[],
    ) {}

    path(file: number): string {
      return this.paths[file] ?? '';
    }

    client(session: number): IdeClient {
      return this.clients[session] as IdeClient;
    }

    async agree(model: Model): Promise<void> {
      const open = pending(model).map(({ uri }) => uri.toString());
      model.together = model.together.some(({ expected }) => !expected) ? model.together : [];
      await until(
        `the tabs of ${open.length} proposals, and of ${model.together.length} together`,
        () => {
          const { alone, together } = shown();
          return alone.sort().join() === [...open].sort().join() && together.length === model.together.length;
        },
        5_000,
        shown,
      );
      for (const { answers, expected, tabName } of model.proposals) {
        if (expected) await until(`the answer of ${tabName}`, () => answers.length > 0, 3_000);
        assert.deepEqual(answers, expected ? [expected] : [], `the answers of ${tabName}`);
      }
      for (const [file, { disk }] of model.files.entries()) {
        await until(
          'the file to be as the user has saved it',
          () => readFileSync(this.path(file), 'utf8') === disk,
          10_000,
          () => ({
            disk: readFileSync(this.path(file), 'utf8'),
            documents: vscode.workspace.textDocuments.map((each) => [
              each.uri.path,
              each.isDirty,
              each.getText(),
            ]),
          }),
        );
      }
      for (const text of model.kept) {
        await until('what the user has typed in a document of its own', () =>
          vscode.workspace.textDocuments.some(
            (document) => document.isUntitled && document.getText() === text,
          ),
        );
      }
    }
  }

  /** Ends it without the user’s text: what they have typed there is kept. */
  function drop(model: Model, proposal: Proposed, expected: string[] | 'disconnected'): void {
    proposal.expected = expected;
    if (proposal.isEdited) model.kept.push(proposal.text);
  }

  const rejected = ({ tabName }: Proposed) => ['DIFF_REJECTED', tabName];
  const number = fc.nat({ max: 5 });
  const session = fc.nat({ max: 1 });
  const file = fc.nat({ max: 1 });

  const proposes = fc.record({ session, file }).map((of) =>
    step<Model, Real>(
      `session ${of.session + 1} proposes ${'ab'[of.file]}`,
      () => true,
      async (model, real) => {
        const line = ++model.lines;
        const [tabName, text] = [`T${line}`, `${model.files[of.file]?.disk}agent ${line}\n`];
        const older = pending(model).filter(
          (other) => other.session === of.session && other.file === of.file,
        );
        const { answer, uri } = await propose(real.client(of.session), real.path(of.file), text, tabName);
        older.forEach((other) => drop(model, other, rejected(other)));
        const proposal: Proposed = {
          ...of,
          tabName,
          uri,
          text,
          base: model.files[of.file]?.disk,
          isEdited: false,
          expected: undefined,
          answers: [],
        };
        answer.then(
          (texts) => proposal.answers.push(texts),
          () => proposal.answers.push('disconnected'),
        );
        model.proposals.push(proposal);
        await real.agree(model);
      },
    ),
  );

  /** A step that is about one of the proposals under review. */
  const about = (
    name: string,
    act: (proposal: Proposed, model: Model, real: Real) => Promise<void>,
    canHappen: (proposal: Proposed, model: Readonly<Model>) => boolean = () => true,
  ) =>
    number.map((index) =>
      step<Model, Real>(
        `${name} (${index})`,
        (model) => {
          const proposal = pick(model, index);
          return proposal !== undefined && canHappen(proposal, model);
        },
        async (model, real) => {
          await act(pick(model, index) as Proposed, model, real);
          await real.agree(model);
        },
      ),
    );

  /** Answers the question over unsaved changes, or what is newer, if there is to be one. */
  async function decide(
    proposal: Proposed,
    model: Model,
    deciding: Thenable<unknown>,
    button: 'Accept Anyway' | 'Save First' | 'Reject',
  ): Promise<void> {
    const its = model.files[proposal.file];
    const decideOverNewer = async () => {
      const dialog = await nextDialog();
      assert.match(dialog.text, /^[ab]\.txt has changed since/);
      dialog.press(button === 'Accept Anyway' ? button : 'Reject');
      if (button === 'Accept Anyway') proposal.expected = ['FILE_SAVED', proposal.text];
      else drop(model, proposal, rejected(proposal));
    };
    if (its?.unsaved === undefined) {
      if (its?.disk === proposal.base) proposal.expected = ['FILE_SAVED', proposal.text];
      else await decideOverNewer();
    } else {
      const dialog = await nextDialog();
      assert.match(dialog.text, /^[ab]\.txt has unsaved changes/);
      dialog.press(button);
      if (button === 'Save First') {
        its.disk = its.unsaved;
        its.unsaved = undefined;
      } else {
        if (button === 'Reject') drop(model, proposal, rejected(proposal));
        else proposal.expected = ['FILE_SAVED', proposal.text];
      }
    }
    await deciding;
  }

  /** VS Code tells of a tab later than of its editor, and on a busy machine of what was in front before once more. */
  async function staysInFront(uri: string): Promise<void> {
    let since = Infinity;
    await until('the proposed side in front, for a moment', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      const isShown = [input, ...diffsOf(input)].some(
        (each) => each instanceof vscode.TabInputTextDiff && each.modified.toString() === uri,
      );
      const isThere = isShown && vscode.window.activeTextEditor?.document.uri.toString() === uri;
      since = isThere ? Math.min(since, Date.now()) : Infinity;
      return Date.now() - since > 300;
    });
  }

  /** VS Code 1.96 does not save from a diff whose proposal is in a multi-diff, too. */
  const isFloor = process.env[testEnvironment.floor] !== undefined;
  const buttons = ['Accept Anyway', 'Save First', 'Reject'] as const;
  const steps = [
    proposes,
    proposes,
    about('the user types into the proposed side', async (proposal, model) => {
      const line = `user ${++model.lines}\n`;
      const document = await vscode.workspace.openTextDocument(proposal.uri);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(proposal.uri, new vscode.Position(0, 0), line);
      assert.ok(await vscode.workspace.applyEdit(edit));
      proposal.text = line + proposal.text;
      proposal.isEdited = true;
      assert.equal(document.getText(), proposal.text);
      if (model.autoSaves) await until('the auto-save', () => !document.isDirty);
    }),
    ...buttons.map((button) =>
      about(`the user accepts, else ${button}`, (proposal, model) =>
        decide(
          proposal,
          model,
          vscode.commands.executeCommand('ideBridge.acceptProposal', proposal.uri),
          button,
        ),
      ),
    ),
    ...buttons.map((button) =>
      about(
        `the user saves the proposed side, else ${button}`,
        async (proposal, model) => {
          await vscode.commands.executeCommand('ideBridge.openProposal', proposal.uri);
          await staysInFront(proposal.uri.toString());
          letMomentPass();
          await decide(proposal, model, vscode.commands.executeCommand('ideBridge.saveProposal'), button);
        },
        (_proposal, model) => model.together.length === 0 || !isFloor,
      ),
    ),
    about('the user rejects', async (proposal, model) => {
      await vscode.commands.executeCommand('ideBridge.rejectProposal', proposal.uri);
      drop(model, proposal, rejected(proposal));
    }),
    about(
      'the user closes its tab',
      async (proposal, model) => {
        const tab = tabs().find(
          ({ input }) =>
            input instanceof vscode.TabInputTextDiff && input.modified.toString() === proposal.uri.toString(),
        );
        assert.ok(tab && (await vscode.window.tabGroups.close(tab)));
        drop(model, proposal, rejected(proposal));
      },
      // A tab that is not saved would ask; one that others show, too, decides nothing.
      (proposal, model) => (!proposal.isEdited || model.autoSaves) && model.together.length === 0,
    ),
    about('its client closes it', async (proposal, _model, real) => {
      await real.client(proposal.session).call('close_tab', { tab_name: proposal.tabName });
      proposal.expected = rejected(proposal);
    }),
    about(
      'the user reviews all',
      async (_proposal, model) => {
        await vscode.commands.executeCommand('ideBridge.reviewAllProposals');
        model.together = pending(model);
      },
      (_proposal, model) => model.together.length === 0,
    ),
    session.map((which) =>
      step<Model, Real>(
        `session ${which + 1} is prompted`,
        () => true,
        async (model, real) => {
          await real.client(which).call('closeAllDiffTabs');
          pending(model)
            .filter((proposal) => proposal.session === which)
            .forEach((proposal) => (proposal.expected = rejected(proposal)));
          await real.agree(model);
        },
      ),
    ),
    session.map((which) =>
      step<Model, Real>(
        `session ${which + 1} ends`,
        (model) => pending(model).some((proposal) => proposal.session === which),
        async (model, real) => {
          await real.client(which).close();
          pending(model)
            .filter((proposal) => proposal.session === which)
            .forEach((proposal) => drop(model, proposal, 'disconnected'));
          await real.agree(model);
          real.clients[which] = await connectClient(nextPid++);
        },
      ),
    ),
    file.map((which) =>
      step<Model, Real>(
        `the user types into ${'ab'[which]} itself`,
        () => true,
        async (model, real) => {
          const its = model.files[which] as Model['files'][number];
          const line = `user ${++model.lines}\n`;
          const document = await vscode.workspace.openTextDocument(real.path(which));
          await until('the editor to follow', () => document.getText() === (its.unsaved ?? its.disk));
          await vscode.window.showTextDocument(document, { preview: false });
          const edit = new vscode.WorkspaceEdit();
          edit.insert(document.uri, new vscode.Position(0, 0), line);
          assert.ok(await vscode.workspace.applyEdit(edit));
          const text = line + (its.unsaved ?? its.disk);
          if (model.autoSaves) {
            await until('the auto-save', () => !document.isDirty);
            its.disk = text;
          } else {
            its.unsaved = text;
          }
          await real.agree(model);
        },
      ),
    ),
  ];

  const { parameters, count, timeout } = sequences();

  it(`of proposals by two sessions and what becomes of them: ${count} of them`, async function () {
    this.timeout(timeout);
    let clients = [desk.client, await connectClient(nextPid++)];
    const property = fc
      .asyncProperty(fc.boolean(), fc.commands(steps, { maxCommands: 10 }), async (autoSaves, commands) => {
        await desk.configure('files.autoSave', autoSaves ? 'afterDelay' : undefined);
        const paths = ['a.txt', 'b.txt'].map((name) => desk.scratch.write(name, `first of ${name}\n`));
        const files = paths.map((path) => ({ disk: readFileSync(path, 'utf8'), unsaved: undefined }));
        const model: Model = { proposals: [], files, together: [], kept: [], autoSaves, lines: 0 };
        const real = new Real(paths, clients);
        try {
          await fc.asyncModelRun(() => ({ model, real }), commands);
        } finally {
          clients = real.clients;
          await Promise.all(clients.map((client) => client.call('closeAllDiffTabs')));
          for (const proposal of pending(model)) proposal.expected = rejected(proposal);
        }
        await real.agree(model);
      })
      .afterEach(async () => {
        for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
          await vscode.window.showTextDocument(document);
          await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
        }
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        await vscode.commands.executeCommand('notifications.clearAll');
      });
    await desk.configure('files.autoSaveDelay', 50);
    await fc.assert(property, parameters);
    desk.client = clients[0] as IdeClient;
  });
});
