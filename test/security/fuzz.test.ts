import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import { printable } from '../../src/base/printable.ts';
import { lockFileContent } from '../../src/protocol/ide.ts';
import { classify } from '../../src/protocol/jsonRpc.ts';
import { redacted } from '../../src/server/redact.ts';
import { Session } from '../../src/server/session.ts';
import { pathCandidates } from '../../src/tools/paths.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { defineTool, text } from '../../src/tools/tool.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { MemoryTransport } from '../support/memoryTransport.ts';

/** More than 100,000 cases together. */
const runs = { parser: 20_000, session: 6_000 };

const methods = fc.oneof(
  fc.constantFrom(
    ...['initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'prompts/list'],
    ...['notifications/initialized', 'notifications/cancelled', 'ide_connected', '__proto__', 'toString', ''],
  ),
  fc.string(),
);
const ids = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.string({ maxLength: 3 }),
  fc.constant(null),
  fc.double(),
);
const params = fc.oneof(
  fc.constant({ protocolVersion: '2025-11-25', clientInfo: { name: 'x', version: '1' } }),
  fc.record({ name: fc.constantFrom('hello', 'wait', 'fail', 'nobody'), arguments: fc.object() }),
  fc.record({ requestId: ids }),
  fc.record({ pid: fc.oneof(fc.integer(), fc.double()) }),
  fc.jsonValue(),
);
const message = fc.oneof(
  fc.record(
    { jsonrpc: fc.oneof(fc.constant('2.0'), fc.string()), id: ids, method: methods, params },
    { requiredKeys: [] },
  ),
  fc.record({ jsonrpc: fc.constant('2.0'), id: ids, method: methods, params }),
  fc.record({ jsonrpc: fc.constant('2.0'), method: methods, params }),
  fc.record({ jsonrpc: fc.constant('2.0'), id: ids, result: fc.jsonValue() }),
  fc.jsonValue(),
);

describe('any input', function () {
  this.timeout(120_000);

  it('is a request, a notification, a response or invalid', () => {
    fc.assert(
      fc.property(message, (value) => {
        const incoming = classify(value);
        assert.ok(['request', 'notification', 'response', 'invalid'].includes(incoming.kind));
        if (incoming.kind === 'invalid') {
          assert.equal('error' in incoming.answer && incoming.answer.error.code, -32600);
        }
      }),
      { numRuns: runs.parser },
    );
  });

  it('is a lock file or none', () => {
    const almost = fc.record(
      {
        pid: fc.oneof(fc.integer(), fc.jsonValue()),
        workspaceFolders: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
        ideName: fc.oneof(fc.string(), fc.jsonValue()),
        transport: fc.oneof(fc.constant('ws'), fc.jsonValue()),
        runningInWindows: fc.oneof(fc.boolean(), fc.jsonValue()),
        authToken: fc.oneof(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(almost, fc.jsonValue()), (value) => {
        const parsed = lockFileContent.safeParse(value);
        assert.ok(!parsed.success || Number.isInteger(parsed.data.pid));
      }),
      { numRuns: runs.parser },
    );
  });

  it('is a path inside a workspace folder, or an absolute one, or none', () => {
    const parts = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '~',
      'a',
      'C:',
      'file:',
      '%2e',
      '%00',
      ' ',
      'con',
      '\u202E',
      '//',
    );
    const input = fc.oneof(
      fc.array(parts, { maxLength: 12 }).map((all) => all.join('')),
      fc.string(),
    );
    const contexts = fc.constantFrom(
      { platform: 'linux' as const, home: '/home/me', workspaceFolders: ['/ws'] },
      { platform: 'win32' as const, home: 'C:\\me', workspaceFolders: ['C:\\ws'] },
    );
    fc.assert(
      fc.property(input, contexts, (path, context) => {
        let found: string[];
        try {
          found = pathCandidates(path, context);
        } catch (error) {
          assert.match(String(error), /not opened/);
          return;
        }
        const isWindows = context.platform === 'win32';
        for (const candidate of found) {
          assert.ok(!candidate.split(/[\\/]/).includes('..') || !isWindows, candidate);
          if (!isWindows) {
            assert.ok(candidate.startsWith('/') && !candidate.split('/').includes('..'), candidate);
          }
          assert.doesNotMatch(candidate, isWindows ? /^[\\/]{2}(?!wsl)/i : /^\/\//);
        }
      }),
      { numRuns: runs.parser },
    );
  });

  it('is printed on one line, in bounds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (value, limit) => {
        const shown = printable(value, limit);
        assert.ok(shown.length <= limit);
        assert.doesNotMatch(shown, /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
      }),
      { numRuns: runs.parser },
    );
  });

  it('is kept without any text of the user’s', () => {
    const secret = 'S3CRET';
    const withSecret = fc.object({
      values: [fc.constant(secret), fc.integer()],
      key: fc.string(),
      maxDepth: 5,
    });
    fc.assert(
      fc.property(withSecret, (value) => {
        const kept = JSON.stringify(redacted({ text: value }));
        assert.ok(!kept.includes(secret) || JSON.stringify(value).match(/"(id|name|type|path|uri|method)":/));
      }),
      { numRuns: runs.parser },
    );
  });

  it('leaves a session that answers every request once, in any order of any messages', async () => {
    const never = defineTool({
      name: 'wait',
      description: '',
      input: z.object({}),
      run: (_args, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    const tools = [
      defineTool({ name: 'hello', description: '', input: z.object({}), run: () => text('hello') }),
      defineTool({
        name: 'fail',
        description: '',
        input: z.object({}),
        run: () => {
          throw new Error('failed');
        },
      }),
      never,
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(message, fc.array(message, { maxLength: 4 })), { maxLength: 12 }),
        async (messages) => {
          const transport = new MemoryTransport();
          const log = new MemoryLog();
          const session = new Session(
            1,
            transport,
            new ToolRegistry(tools, log),
            { name: 't', title: 'T', version: '1' },
            log,
          );
          for (const each of messages) {
            await transport.receive(JSON.stringify(each));
          }
          const probe = 'probe-of-the-end';
          await transport.receive({ jsonrpc: '2.0', id: probe, method: 'ping' });
          const answers = transport.sent.flatMap((sent) =>
            Array.isArray(sent) ? (sent as typeof transport.sent) : [sent],
          );
          assert.equal(answers.filter(({ id }) => id === probe).length, 1);
          for (const answer of answers) {
            assert.equal(answer.jsonrpc, '2.0');
            assert.ok('result' in answer !== 'error' in answer || answer.method !== undefined);
          }
          let closed = 0;
          session.onDidClose(() => closed++);
          transport.close();
          session.dispose();
          assert.equal(closed, 1);
        },
      ),
      { numRuns: runs.session },
    );
  });
});
