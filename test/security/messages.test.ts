import assert from 'node:assert/strict';
import * as z from 'zod';
import { oneLine } from '../../src/base/logger.ts';
import { printable } from '../../src/base/printable.ts';
import { MessageLog } from '../../src/server/messageLog.ts';
import { redacted } from '../../src/server/redact.ts';
import { Session } from '../../src/server/session.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { defineTool, text } from '../../src/tools/tool.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { MemoryTransport } from '../support/memoryTransport.ts';
import { TestBridges } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

describe('a hostile message', () => {
  let transport: MemoryTransport;
  let log: MemoryLog;
  let seen: unknown[];
  let session: Session;

  beforeEach(() => {
    transport = new MemoryTransport();
    log = new MemoryLog();
    seen = [];
    const echo = defineTool({
      name: 'echo',
      description: '',
      input: z.object({ path: z.string().optional() }),
      run: (args) => {
        seen.push(args);
        return text('ok');
      },
    });
    const registry = new ToolRegistry([echo], log);
    session = new Session(1, transport, registry, { name: 't', title: 'T', version: '1' }, log);
  });
  afterEach(() => session.dispose());

  const polluting = [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"polluted":1}}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"constructor":{"prototype":{"polluted":1}}}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"__proto__":{"polluted":1}}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","__proto__":{"params":{"name":"echo"}},"params":{"__proto__":{"name":"echo"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"constructor"}}',
    '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    '{"jsonrpc":"2.0","id":1,"method":"toString","params":{"__proto__":null}}',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"__proto__","clientInfo":{"name":"x","version":"y","__proto__":{"polluted":1}}}}',
    '{"jsonrpc":"2.0","id":"__proto__","method":"tools/call","params":{"name":"echo"}}',
    '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}',
  ];
  for (const message of polluting) {
    it(`pollutes no prototype, and is answered: ${message.slice(25, 110)}`, async () => {
      await transport.receive(message);
      await transport.receive('{"jsonrpc":"2.0","id":"after","method":"ping"}');
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      assert.ok(transport.sent.some(({ id }) => id === 'after'));
      assert.equal(transport.sent.length, 2);
      for (const args of seen) {
        assert.deepEqual(Object.keys(args as object), []);
        assert.equal((args as { polluted?: unknown }).polluted, undefined);
      }
    });
  }

  const deep = 1_000_000;
  const deepMessages: [string, string][] = [
    ['lists in lists', `${'['.repeat(deep)}${']'.repeat(deep)}`],
    ['objects in objects', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`],
    [
      'deep arguments',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"path":${'['.repeat(deep)}${']'.repeat(deep)}}}}`,
    ],
    ['an unfinished list', '['.repeat(deep)],
    ['a long number', `{"jsonrpc":"2.0","id":${'9'.repeat(deep)},"method":"ping"}`],
    ['a batch of batches', JSON.stringify([[[{ jsonrpc: '2.0', id: 1, method: 'ping' }]]])],
  ];
  for (const [what, message] of deepMessages) {
    it(`is answered, and harms nothing: ${what}`, async () => {
      await transport.receive(message);
      await until('an answer', () => transport.sent.length === 1);
      await transport.receive('{"jsonrpc":"2.0","id":"after","method":"ping"}');
      assert.equal(transport.sent.at(-1)?.id, 'after');
    });
  }

  it('of a batch of 101 is refused as a whole', async () => {
    await transport.receive(JSON.stringify(Array(101).fill({ jsonrpc: '2.0', id: 1, method: 'ping' })));
    assert.equal(transport.sent[0]?.error?.code, -32600);
  });

  it('has no more than 256 calls in flight', async () => {
    const waiting = defineTool({
      name: 'wait',
      description: '',
      input: z.object({}),
      run: () => new Promise<never>(() => {}),
    });
    const other = new MemoryTransport();
    const greedy = new Session(
      2,
      other,
      new ToolRegistry([waiting], log),
      { name: 't', title: 'T', version: '1' },
      log,
    );
    for (let id = 0; id < 300; id++) {
      await other.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'wait' } });
    }
    const refused = other.sent.map(({ error }) => error && [error.code, error.message]);
    assert.deepEqual(refused, Array(300 - 256).fill([-32600, 'There are 256 calls in flight already.']));
    greedy.dispose();
  });

  it('writes one line of the log at most, and obeys no terminal', async () => {
    const evil = '\n2026-01-01 [error] forged\r\u001b[2J\u001b]0;title\u0007\u009b31m\u2028\u202E';
    await transport.receive({
      jsonrpc: '2.0',
      id: evil,
      method: 'initialize',
      params: { protocolVersion: evil, clientInfo: { name: evil, version: evil } },
    });
    await transport.receive({ jsonrpc: '2.0', id: 2, method: evil.repeat(10_000) });
    await transport.receive({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: evil } });
    await transport.receive({ jsonrpc: '2.0', method: evil });
    for (const line of [...log.lines, session.clientInfo?.name, session.clientInfo?.version]) {
      assert.doesNotMatch(line ?? '', /[\p{Cc}\u2028\u202E]/u);
      assert.ok((line ?? '').length < 300, `${line?.length}`);
    }
  });
});

describe('the log', () => {
  it('has one line for whatever is written to it', () => {
    const log = new MemoryLog();
    for (const level of ['trace', 'info', 'warn', 'error'] as const) {
      oneLine(log)[level]('a\n\u001b[2J'.repeat(10_000));
    }
    assert.equal(log.lines.length, 4);
    for (const line of log.lines) {
      assert.doesNotMatch(line, /\p{Cc}/u);
      assert.equal(line.length, 1_000);
    }
  });
});

describe('what is kept of messages', () => {
  const secret = 'AKIA_SECRET';

  it('is shape, numbers and telling fields, and no text of the user’s', () => {
    const kept = redacted({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'openDiff',
        arguments: {
          old_file_path: '/ws/a.ts',
          new_file_contents: secret,
          tab_name: 'a.ts',
          other: [secret],
        },
        [secret.repeat(100)]: secret,
        deep: { deep: { message: secret } },
      },
      result: {
        content: [
          { type: 'text', text: 'FILE_SAVED' },
          { type: 'text', text: secret },
        ],
      },
    });
    const text = JSON.stringify(kept).replaceAll(/"[^"]*":/g, '');
    assert.ok(!text.includes(secret), text);
    for (const told of ['tools/call', 'openDiff', '/ws/a.ts', 'FILE_SAVED', '11 characters']) {
      assert.ok(text.includes(told), told);
    }
    assert.ok(JSON.stringify(kept).length < 700, 'fields are cut as well');
  });

  it('is short, however long and deep the message is', () => {
    const wide = { list: Array(100_000).fill('x'), object: Object.fromEntries(Array(1_000).entries()) };
    assert.ok(JSON.stringify(redacted(wide)).length < 3_000);
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i++) {
      deep = { deep };
    }
    assert.ok(JSON.stringify(redacted(deep)).length < 1_000);
  });

  it('is looked at no further than it is kept', () => {
    let looks = 0;
    const noted = { enumerable: true, get: () => looks++ };
    const wide = Object.defineProperties({}, Object.fromEntries(Array(10_000).fill(noted).entries()));
    redacted(wide);
    assert.ok(looks <= 20, `${looks} of 10,000 fields`);

    looks = 0;
    const leaf = Object.defineProperties({}, Object.fromEntries(Array(20).fill(noted).entries()));
    redacted(tree(leaf, 4));
    assert.ok(looks <= 1_000, `${looks} of 3,200,000 fields`);
  });

  it('is bounded for each message and for all, whatever they are made of', () => {
    const field = { name: '\ud800'.repeat(1_000) };
    const log = new MessageLog();
    for (const message of [tree('', 5), tree(field, 4), { [field.name]: tree(field, 4) }]) {
      log.add(1, 'client', message);
      const kept = log.all.at(-1)?.message ?? '';
      assert.ok(kept.length < 50_000, `${kept.length} characters`);
    }
    for (let i = 0; i < 500; i++) {
      log.add(1, 'client', tree(field, 2));
    }
    const lengths = log.all.map(({ message }) => message.length);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    assert.ok(total > 500_000 && total <= 1_000_000, `${total} characters`);
  });

  it('is the last 500 messages of a bridge, without the token', async () => {
    const bridges = new TestBridges();
    try {
      const { bridge, lock } = await bridges.start();
      const client = await bridges.connect(lock);
      for (let i = 0; i < 300; i++) {
        await client.call('hello');
      }
      assert.equal(bridge.messages.all.length, 500);
      assert.ok(!JSON.stringify(bridge.messages.all).includes(lock.authToken));
      assert.ok(!bridges.log.lines.join('\n').includes(lock.authToken));
    } finally {
      await bridges.cleanUp();
    }
  });
});

/** 20 lists of 20 lists of … of this. */
function tree(leaf: unknown, depth: number): unknown {
  return depth === 0 ? leaf : Array(20).fill(tree(leaf, depth - 1));
}

describe('printable text', () => {
  it('is on one line, cut, and obeyed by no terminal', () => {
    assert.equal(printable('a\nb\u001b[0m'), 'a\uFFFDb\uFFFD[0m');
    assert.equal(printable('äöü 日本 ✻ 👩‍💻'), 'äöü 日本 ✻ 👩‍💻');
    assert.equal(printable('[x](command:y)'), '[x] (command:y)');
    assert.equal(printable('x'.repeat(10), 5), 'xxxx…');
  });
});
