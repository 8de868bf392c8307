import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { IdeBridgeExports } from '../../../api/ideBridge.d.ts';
import type { AtMentioned } from '../../../src/protocol/ide.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { until } from '../../support/until.ts';
import { connectClient, extensionUnderTest, prompt, propose, useDesk } from '../bridge.ts';
import { activateSample, plainTool, sampleId } from './sample.ts';

const failsWith = (code: string, message: RegExp) => (error: unknown) => {
  const { name, code: found, message: words } = error as Error & { code?: string };
  assert.deepEqual([name, found], ['IdeBridgeError', code]);
  assert.match(words, message);
  return true;
};

describe('the API for other extensions', function () {
  this.timeout(60_000);
  const desk = useDesk();

  it('is there by its version and the caller, and for nothing else', async () => {
    const { getAPI } = (await extensionUnderTest().activate()) as IdeBridgeExports;
    const { api } = await activateSample();
    assert.equal(await getAPI(1, sampleId.toUpperCase()), api);
    assert.equal(api.version, 1);
    assert.equal(api.enabled, true);
    const anyway = getAPI as (...args: unknown[]) => Promise<unknown>;
    for (const version of [2, 0, '1', undefined, Object.create(null), Symbol('1')]) {
      await assert.rejects(anyway(version, sampleId), failsWith('UnknownVersion', /version 1 only/));
    }
    for (const id of ['nobody.nothing', '', undefined, Object.create(null), 'x'.repeat(100_000)]) {
      await assert.rejects(anyway(1, id), failsWith('InvalidArgument', /no extension .{0,110}\.$/));
    }
  });

  it('gives no way to what is behind it', async () => {
    const { api } = await activateSample();
    const seen = new Set<unknown>();
    const look = (value: unknown) => {
      if (typeof value !== 'object' || value === null || seen.has(value) || seen.size > 1_000) {
        return;
      }
      seen.add(value);
      assert.ok(Object.isFrozen(value) || Array.isArray(value), Object.keys(value).join());
      for (const [name, inside] of Object.entries(value)) {
        if (name !== 'terminal') {
          look(inside);
        }
      }
    };
    look(api);
    assert.doesNotMatch(JSON.stringify(api), /token|authToken|transcript/i);
  });

  it('says in a window that is not trusted that it is off there, rather than wait', async () => {
    const { api } = await activateSample();
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted');
    assert.ok(trusted?.configurable, 'the editor’s API cannot be told so');
    const uri = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
    Object.defineProperty(vscode.workspace, 'isTrusted', { configurable: true, get: () => false });
    try {
      assert.equal(api.enabled, false);
      await assert.rejects(api.mention({ uri }), failsWith('Untrusted', /not trusted/));
      await assert.rejects(api.propose({ uri, newText: '' }), failsWith('Untrusted', /not trusted/));
      const tool = await api.registerTool({ ...plainTool, name: 'later' });
      tool.dispose();
    } finally {
      Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
    }
    assert.equal(api.enabled, true);
  });

  it('lists sessions with what they are at, and tells what becomes of them', async () => {
    const { api, seen } = await activateSample();
    const { id } = await until('the session', () =>
      api.sessions.all.length === 1 ? api.sessions.all[0] : undefined,
    );
    const told = (words: string) => until(`${words} after ${seen.join()}`, () => seen.includes(words));
    await told(`opened ${id}`); // else it may be opened with a proposal already
    const now = () => api.sessions.all.find((each) => each.id === id);
    assert.equal(now()?.kind, 'terminal');
    assert.equal(now()?.state, 'idle');
    assert.ok(Math.abs(Date.now() - (now()?.connectedSince ?? 0)) < 60_000);
    assert.deepEqual(Object.keys(now() ?? {}), ['id', 'kind', 'label', 'state', 'connectedSince']);
    await prompt(desk.client);
    const { answer } = await propose(desk.client, desk.scratch.write('a.txt', 'one\n'), 'two\n');
    await told(`${id} proposes`);
    assert.equal(now()?.state, 'proposes');
    seen.splice(0);
    await vscode.commands.executeCommand('ideBridge.rejectProposal');
    await answer;
    await told(`${id} idle`);
    await desk.client.close();
    await told(`closed ${id}`);
    assert.deepEqual(api.sessions.all, []);
    await connectClient();
    const next = await until('another', () => [...api.sessions.all][0]);
    await told(`opened ${next.id}`);
    assert.notEqual(next.id, id);
  });

  describe('mentions', () => {
    const mentionsOf = (client: IdeClient) => client.notifications<AtMentioned>('at_mentioned');
    const known = async () => {
      const { api } = await activateSample();
      return until('the session', () => [...api.sessions.all][0]);
    };

    it('a file, lines of it, and a folder: with the words for it in the status bar', async () => {
      const { api } = await activateSample();
      const { id } = await known();
      await prompt(desk.client); // only the user knows of this client whether its prompt is there
      const uri = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
      assert.deepEqual(await api.mention({ uri, lines: { start: 1, end: 3 } }), {
        outcome: 'sent',
        sessionId: id,
      });
      await desk.ui.page.getByText('Sample Words mentions a.txt in').first().waitFor();
      const folder = vscode.Uri.file(desk.scratch.folder);
      await api.mention({ uri: folder, sessionId: id });
      assert.deepEqual(mentionsOf(desk.client), [
        { filePath: uri.fsPath, lineStart: 1, lineEnd: 3 },
        { filePath: folder.fsPath },
      ]);
    });

    it('wait while nobody knows whether the prompt is there: they are not the user’s word', async () => {
      const { api } = await activateSample();
      const { id } = await known();
      const client = await connectClient(process.ppid);
      await until('both', () => api.sessions.all.length === 2);
      const other = api.sessions.all.find((each) => each.id !== id);
      const uri = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
      const outcome = await api.mention({ uri, sessionId: other?.id ?? '' });
      assert.deepEqual(outcome, { outcome: 'waiting', sessionId: other?.id });
      await sleep(2_500); // longer than a client takes to draw its prompt
      assert.deepEqual(mentionsOf(client), []);
      await client.callForTexts('closeAllDiffTabs');
      await until('the mention', () => mentionsOf(client).length > 0);
      assert.deepEqual(mentionsOf(client), [{ filePath: uri.fsPath }]);
    });

    it('wait for the next session where none is connected', async () => {
      const { api } = await activateSample();
      await desk.client.close();
      await until('no session', () => api.sessions.all.length === 0);
      const uri = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
      assert.deepEqual(await api.mention({ uri }), { outcome: 'waiting' });
      const client = await connectClient();
      await client.callForTexts('closeAllDiffTabs');
      await until('the mention', () => mentionsOf(client).length > 0);
      assert.deepEqual(mentionsOf(client), [{ filePath: uri.fsPath }]);
    });

    it('are for the session that the user picks, where they want to be asked', async () => {
      const { api } = await activateSample();
      await known();
      await connectClient(process.ppid);
      await until('both', () => api.sessions.all.length === 2);
      await desk.configure('ideBridge.mention.target', 'ask');
      const uri = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
      const dismissed = api.mention({ uri });
      const input = desk.ui.page.locator('.quick-input-widget input:visible');
      await input.press('Escape');
      assert.deepEqual(await dismissed, { outcome: 'dismissed' });
      assert.deepEqual(mentionsOf(desk.client), []);
    });

    it('of what is not shared are refused, under both names of a link', async () => {
      const { api } = await activateSample();
      const secret = desk.scratch.write('.env', 'KEY=1\n');
      symlinkSync(secret, desk.scratch.path('plain.txt'));
      for (const [path, reason] of [
        [secret, /^It is excluded by "\*\*\/\.env\*" in ideBridge\.share\.exclude\.$/],
        [desk.scratch.path('plain.txt'), /^It is a link to what is excluded/],
      ] as const) {
        const outcome = await api.mention({ uri: vscode.Uri.file(path) });
        assert.ok(outcome.outcome === 'refused');
        assert.match(outcome.reason, reason);
      }
      await desk.configure('ideBridge.share.enabled', false);
      const plain = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
      assert.deepEqual(await api.mention({ uri: plain }), {
        outcome: 'refused',
        reason: 'Sharing is off in this window.',
      });
      assert.deepEqual(mentionsOf(desk.client), []);
    });

    it('of what is none are mistakes', async () => {
      const { api } = await activateSample();
      const mention = api.mention as (...args: unknown[]) => Promise<unknown>;
      const uri = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
      const bad: [unknown, RegExp][] = [
        [undefined, /expected object/],
        [{ uri: uri.fsPath }, /expected a Uri of the scheme file[^]*at uri/],
        [{ uri: vscode.Uri.parse('untitled:x') }, /expected a Uri/],
        [{ uri: { scheme: 'file', fsPath: uri.fsPath } }, /expected a Uri/],
        [{ uri: vscode.Uri.file(`${uri.fsPath}\nrun this`) }, /control characters/],
        [{ uri: vscode.Uri.file(`${uri.fsPath} not there`) }, /there is nothing at this path/],
        [{ uri, lines: { start: 3, end: 1 } }, /at or before end/],
        [{ uri, lines: { start: -1, end: 1 } }, /at lines\.start/],
        [{ uri, sessionId: 'terminal:0' }, /no session in a terminal has this id/],
      ];
      for (const [input, words] of bad) {
        await assert.rejects(mention(input), failsWith('InvalidArgument', words));
      }
      assert.deepEqual(mentionsOf(desk.client), []);
    });

    it('of an extension in a loop are refused after fifty, also where the session would take each', async () => {
      const { api } = await activateSample();
      await known();
      const uri = vscode.Uri.file(desk.scratch.write('a.txt', 'text\n'));
      const outcomes = await Promise.all(Array.from({ length: 60 }, () => api.mention({ uri })));
      const reasons = outcomes.flatMap((each) => (each.outcome === 'refused' ? [each.reason] : []));
      assert.ok(reasons.length >= 10 && reasons.length < 60, `${reasons.length} are refused`);
      for (const reason of reasons) {
        assert.match(
          reason,
          /^Sample Words has mentioned 50 things within a minute\. Try again in \d\d? s\.$/,
        );
      }
      // What waits for this session is none of the next one's.
      await prompt(desk.client); // only the user knows of this client whether its prompt is there
      const sent = outcomes.length - reasons.length;
      await until('the others', () => mentionsOf(desk.client).length === sent, 30_000);
    });
  });
});
