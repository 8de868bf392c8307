import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { IdeBridgeApi, Tool } from '../../../api/ideBridge.d.ts';
import type { Sample } from '../../fixtures/sample/extension.ts';
import { SdkTransport } from '../../support/sdkTransport.ts';
import { until } from '../../support/until.ts';
import { currentLock, useDesk } from '../bridge.ts';
import { callTool, connectUnlisted } from '../editorTools/toolClient.ts';
import { activateSample, plainTool } from './sample.ts';

const prefix = 'ide-bridge-test_sample_';

describe('tools of other extensions', function () {
  this.timeout(60_000);
  const clients: Client[] = [];
  const registrations: vscode.Disposable[] = [];
  afterEach(async () => {
    vscode.Disposable.from(...registrations.splice(0)).dispose();
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  const desk = useDesk();
  let sample: Sample;
  let api: IdeBridgeApi;

  before(async () => {
    sample = await activateSample();
    ({ api } = sample);
  });
  beforeEach(() => desk.configure('ideBridge.editorTools.enabled', true));
  async function connect(name?: string): Promise<Client> {
    const client = await connectUnlisted(name);
    clients.push(client);
    return client;
  }

  async function register(tool: Partial<Tool>): Promise<vscode.Disposable> {
    const registration = await api.registerTool({ ...plainTool, ...tool });
    registrations.push(registration);
    return registration;
  }

  const offered = async (client: Client) =>
    (await client.listTools()).tools.filter(({ name }) => name.startsWith(prefix));
  const namesFor = async (client: Client) =>
    (await offered(client)).map(({ name }) => name.slice(prefix.length));

  const call = (client: Client, name: string, args: object = {}, signal?: AbortSignal) =>
    callTool(client, prefix + name, args, signal);

  it('are offered under the name of the extension, called, and taken back: clients are told', async () => {
    const client = await connect();
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    assert.deepEqual(await offered(client), []);
    registrations.push(await sample.offerWords());
    await until('word of it', () => changes === 1);
    const [tool] = await offered(client);
    assert.equal(tool?.name, 'ide-bridge-test_sample_countWords');
    assert.deepEqual(tool.annotations, { title: 'Count Words', readOnlyHint: true, openWorldHint: false });
    assert.deepEqual(tool.inputSchema.required, ['text']);
    assert.deepEqual(await call(client, 'countWords', { text: 'one two  three', least: 4 }), {
      text: '{"words":1,"client":"sdk"}',
      isError: false,
      data: { words: 1, client: 'sdk' },
    });
    const cli = await connect('claude-code');
    const { text, data } = await call(cli, 'countWords', { text: '' });
    assert.deepEqual([text, data], ['{"words":0,"client":"Claude Code"}', undefined]);
    registrations.pop()?.dispose();
    await until('word of it', () => changes === 2);
    assert.deepEqual(await offered(client), []);
    await assert.rejects(call(client, 'countWords', { text: '' }), /not found/);
    const other = new Client({ name: 'sdk', version: '1.0.0' });
    const { port, authToken } = await currentLock();
    await other.connect(new SdkTransport(port, authToken));
    clients.push(other);
    registrations.push(await sample.offerWords());
    assert.deepEqual(await offered(other), [], 'offered to sessions of the bridge');
  });

  it('are offered by the switch of their group only, and say which that is', async () => {
    const client = await connect();
    let calls = 0;
    const handler = () => `call ${++calls}`;
    await register({ name: 'reads', handler });
    await register({ name: 'edits', group: 'editing', annotations: { destructiveHint: false }, handler });
    await register({ name: 'runs', group: 'running', handler });
    assert.deepEqual(await namesFor(client), ['reads']);
    for (const [name, words] of [
      ['edits', /changes files, .* by the setting ideBridge\.editorTools\.editing\.$/],
      ['runs', /is about what runs in this editor, .* by the setting ideBridge\.editorTools\.running\.$/],
    ] as const) {
      const { text, isError } = await call(client, name);
      assert.ok(isError);
      assert.match(text, words);
    }
    await desk.configure('ideBridge.editorTools.editing', true);
    assert.deepEqual(await namesFor(client), ['reads', 'edits']);
    const [, edits] = await offered(client);
    assert.deepEqual(edits?.annotations, { title: 'Plain', readOnlyHint: false, destructiveHint: false });
    assert.equal((await call(client, 'edits')).text, 'call 1');
    await desk.configure('ideBridge.editorTools.running', true);
    assert.deepEqual(await namesFor(client), ['reads', 'edits', 'runs']);
    for (const [title, text] of [
      ['Refuse', /does not want this to be run/],
      ['Run Once', /^call 2$/],
    ] as const) {
      const running = call(client, 'runs');
      const question = desk.ui.page.locator('.codelens-decoration', {
        hasText: `wants to run ${prefix}runs`,
      });
      await question.locator('a', { hasText: title }).click();
      assert.match((await running).text, text);
      await question.waitFor({ state: 'detached' });
    }
    await desk.configure('ideBridge.tools.disabled', [`${prefix}edits`]);
    assert.deepEqual(await namesFor(client), ['reads', 'runs']);
    await assert.rejects(call(client, 'edits'), /turned off/);
    await desk.configure('ideBridge.editorTools.enabled', undefined);
    assert.deepEqual(await namesFor(client), []);
    await assert.rejects(call(client, 'reads'), /not found/);
    assert.equal(calls, 2);
  });

  it('are refused while nothing is shared, as ours are', async () => {
    const client = await connect();
    let calls = 0;
    await register({ handler: () => `call ${++calls}` });
    await desk.configure('ideBridge.share.enabled', false);
    const [ours, theirs] = [
      await client.callTool({ name: 'openEditors' }),
      await client.callTool({ name: `${prefix}plain` }),
    ];
    assert.deepEqual(theirs, ours);
    assert.match(JSON.stringify(theirs), /Sharing is off/);
    assert.equal(calls, 0);
  });

  it('get no input that does not fit their schema', async () => {
    const client = await connect();
    const inputs: unknown[] = [];
    const handler = (input: unknown) => {
      inputs.push(input);
      return 'taken';
    };
    await register({
      name: 'strict',
      inputSchema: {
        type: 'object',
        properties: { kind: { enum: ['a', 'b'] }, pair: { $ref: '#/$defs/pair' } },
        $defs: {
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2 },
        },
        required: ['kind'],
        unevaluatedProperties: false,
      },
      handler,
    });
    await register({
      name: 'older',
      inputSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { pair: { type: 'array', items: [{ type: 'string' }], additionalItems: false } },
      },
      handler,
    });
    await register({ name: 'zod', inputSchema: z.object({ n: z.int().min(3) }), handler });
    await desk.configure('ideBridge.editorTools.running', true); // of which the user is asked about each call that fits
    await register({
      name: 'runs',
      group: 'running',
      inputSchema: { type: 'object', required: ['n'] },
      handler,
    });
    const bad: [string, object, RegExp][] = [
      ['strict', {}, /-32602.*Invalid arguments for tool .*: arguments must have required property 'kind'/],
      ['strict', { kind: 'c' }, /arguments\/kind must be equal to one of the allowed values: "a", "b"/],
      ['strict', { kind: 'a', pair: ['x', 'y'] }, /arguments\/pair\/1 must be number/],
      ['strict', { kind: 'a', ['x\u202E'.repeat(900)]: 1 }, /^.{0,700}$/],
      ['older', { pair: ['x', 'y'] }, /arguments\/pair must NOT have more than 1 items/],
      ['zod', { n: 2 }, /arguments\/n must be >= 3/],
      ['zod', { n: 3.5 }, /arguments\/n must be integer/],
      ['runs', {}, /arguments must have required property 'n'/],
    ];
    for (const [name, args, words] of bad) {
      await assert.rejects(call(client, name, args), words);
    }
    assert.deepEqual(inputs, []);
    await call(client, 'strict', { kind: 'b', pair: ['x', 1] });
    await call(client, 'zod', { n: 3 });
    assert.deepEqual(inputs, [{ kind: 'b', pair: ['x', 1] }, { n: 3 }]);
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const mute = Object.create(null) as object;
  const thrown = (error: unknown) => () => {
    throw error;
  };
  const outcomes: [string, () => unknown, boolean, RegExp][] = [
    ['a list', () => [1, 'two'], false, /^\[1,"two"\]$/],
    ['null', () => null, false, /^null$/],
    ['a long text', () => 'x'.repeat(30_000), false, /^x{20000}… \(10000 more characters\)$/],
    [
      'long data',
      () => ({ text: 'x'.repeat(30_000) }),
      true,
      /^The answer has 30011 characters, 20000 at most/,
    ],
    ['nothing', () => undefined, true, /^The tool has given no answer/],
    ['a function', () => () => 1, true, /^The tool has given no answer/],
    ['a cycle', () => cycle, true, /^The tool has given what cannot be written as JSON: .*circular/],
    ['a big number', () => ({ n: 1n }), true, /^The tool has given what cannot be written as JSON: .*BigInt/],
    ['what fails as JSON', () => ({ toJSON: thrown(mute) }), true, /JSON: The tool has failed\.$/],
    ['an error at once', thrown(new Error('No such word')), true, /^No such word$/],
    ['an error later', () => Promise.reject(new Error('No such word')), true, /^No such word$/],
    ['an error without words', thrown(mute), true, /^The tool has failed\.$/],
    [
      'an endless error',
      thrown(new Error('x'.repeat(100_000))),
      true,
      /^x{4000}… \(96000 more characters\)$/,
    ],
  ];
  for (const [what, handler, isFailure, words] of outcomes) {
    it(`answer with what their handler gives: ${what}`, async () => {
      const client = await connect();
      await register({ handler: handler as Tool['handler'] });
      const { text, isError } = await call(client, 'plain');
      assert.match(text, words);
      assert.equal(isError, isFailure);
      assert.equal((await client.listTools()).tools.length > 1, true, 'the session is over');
    });
  }

  it('are ended by the client, and by being taken back, also where the handler never ends', async () => {
    const client = await connect();
    const ends: string[] = [];
    let running = 0;
    const registration = await register({
      handler: (_, { token }) => {
        running++;
        token.onCancellationRequested(() => ends.push('cancelled'));
        return new Promise<string>(() => {});
      },
    });
    const abort = new AbortController();
    const first = call(client, 'plain', {}, abort.signal);
    first.catch(() => {});
    await until('the call', () => running === 1);
    abort.abort();
    await assert.rejects(first);
    await until('the end', () => ends.length === 1);
    const second = call(client, 'plain');
    await until('the call', () => running === 2);
    registration.dispose();
    registration.dispose();
    assert.deepEqual(await second, {
      text: `${prefix}plain was taken back by its extension.`,
      isError: true,
      data: undefined,
    });
    assert.equal(ends.length, 2);
    const third = await register({ handler: () => 'anew' });
    registration.dispose();
    assert.equal((await call(client, 'plain')).text, 'anew', 'the old one has taken the new one back');
    third.dispose();
  });

  it('are mistakes where they are none', async () => {
    await register({});
    const cases: [object, RegExp][] = [
      [{ name: 'plain' }, /^A tool: plain is registered already\.$/],
      [{ name: '' }, /begin with a letter[^]*at name/],
      [{ name: 'a.b' }, /begin with a letter/],
      [{ name: '../x' }, /begin with a letter/],
      [{ name: 'näme' }, /begin with a letter/],
      [{ name: 'a\n' }, /begin with a letter/],
      [{ name: 'x'.repeat(42) }, /too long.* room for 41 characters/],
      [{ title: ' ' }, /is empty[^]*at title/],
      [{ title: 'a\u202Eb' }, /control characters/],
      [{ title: 'a\nb' }, /control characters/],
      [{ description: 'a\rb' }, /control characters/],
      [{ description: 'x'.repeat(100_000) }, /Too big[^]*at description/],
      [{ description: 7 }, /expected string/],
      [{ group: 'debugging' }, /at group/],
      [{ handler: 'yes' }, /expected a function[^]*at handler/],
      [{ inputSchema: undefined }, /^inputSchema: expected a JSON schema/],
      [{ inputSchema: () => 1 }, /^inputSchema: expected a JSON schema/],
      [{ inputSchema: 'object' }, /^inputSchema: expected a JSON schema of an object/],
      [{ inputSchema: [] }, /^inputSchema: expected a JSON schema of an object/],
      [{ inputSchema: { type: 'string' } }, /^inputSchema: expected a JSON schema of an object/],
      [{ inputSchema: { type: 'object', properties: 7 } }, /^inputSchema: schema is invalid/],
      [
        { inputSchema: { type: 'object', $ref: 'http://127.0.0.1/x' } },
        /^inputSchema: can't resolve reference/,
      ],
      [
        { inputSchema: { type: 'object', $schema: 'http://json-schema.org/draft-04/schema#' } },
        /^inputSchema: no schema/,
      ],
      [{ inputSchema: { type: 'object', $async: true } }, /^inputSchema: .*\$async/],
      [
        { inputSchema: { type: 'object', properties: { a: { pattern: '(' } } } },
        /^inputSchema: Invalid regular/,
      ],
      [
        { inputSchema: { type: 'object', description: 'x'.repeat(50_000) } },
        /^inputSchema: has 500\d\d characters/,
      ],
      [{ inputSchema: cycle }, /^inputSchema: Converting circular/],
      [{ inputSchema: z.string() }, /^inputSchema: expected a JSON schema of an object/],
    ];
    for (const [part, words] of cases) {
      await assert.rejects(register({ name: 'other', ...part }), (error: Error & { code?: string }) => {
        assert.deepEqual([error.name, error.code], ['IdeBridgeError', 'InvalidArgument']);
        assert.match(error.message, words);
        assert.ok(error.message.length < 700, error.message);
        return true;
      });
    }
    await assert.rejects(api.registerTool(undefined as unknown as Tool), /expected object/);
    const names = await namesFor(await connect());
    assert.deepEqual(names, ['plain']);
    await register({ name: 'x'.repeat(41), description: 'One line,\nand another' });
  });

  it('of the editor’s own chat are offered where the user has named them', async () => {
    const client = await connect();
    const names = async () =>
      (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('lm_'));
    const shout = (args: object, signal?: AbortSignal) =>
      client.callTool(
        { name: 'lm_sample_shout', arguments: { ...args } },
        undefined,
        signal ? { signal } : {},
      );
    assert.ok(vscode.lm.tools.some(({ name }) => name === 'sample_shout'));
    assert.deepEqual(await names(), []);
    await assert.rejects(shout({ words: 'a' }), /not found/);
    const setting = 'ideBridge.editorTools.languageModelTools';
    await desk.configure(setting, ['not_there', 'sample_shout']);
    assert.deepEqual(await names(), ['lm_sample_shout']);
    assert.deepEqual(await shout({ words: 'louder' }), { content: [{ type: 'text', text: 'LOUDER' }] });
    await assert.rejects(shout({}), /arguments must have required property 'words'/);
    const { isError, content } = await shout({ words: 'nothing' });
    assert.ok(isError);
    assert.match(JSON.stringify(content), /There is nothing to shout/);
    const abort = new AbortController();
    const forever = shout({ words: 'forever' }, abort.signal);
    forever.catch(() => {});
    await shout({ words: 'meanwhile' });
    abort.abort();
    await until('the end', () => sample.seen.includes('no more shouting'));
    await desk.configure('ideBridge.share.enabled', false);
    assert.match(JSON.stringify(await shout({ words: 'a' })), /Sharing is off/);
    await desk.configure(setting, []);
    assert.deepEqual(await names(), []);
  });

  it('hold nobody up by what they ask of their input: a pattern, or a comparison, that takes for ever', async () => {
    const client = await connect();
    await register({
      name: 'greedy',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'array', uniqueItems: true } },
      },
    });
    for (const args of [
      { a: `${'a'.repeat(29)}!` }, // takes some seconds; two characters more, four times as many
      { b: Array.from({ length: 10_000 }, (_, n) => ({ n })) },
    ]) {
      await assert.rejects(call(client, 'greedy', args), /arguments cannot be checked within 500 ms/);
    }
    assert.equal((await call(client, 'greedy', { a: 'aa', b: [{ n: 1 }, { n: 2 }] })).text, 'yes');
  });

  it('of the editor’s own chat are called, too, where nobody can read their schema: they mind their input themselves', async () => {
    const client = await connect();
    await desk.configure('ideBridge.editorTools.languageModelTools', ['sample_hush']);
    const hush = (args: object) => callTool(client, 'lm_sample_hush', args);
    assert.deepEqual(await hush({ words: 'LOWER' }), { text: 'lower', isError: false, data: undefined });
    assert.equal((await hush({})).isError, true);
  });
});
