import assert from 'node:assert/strict';
import { Conversation } from '../../../src/records/conversation.ts';
import { isWanted, parseEntry } from '../../../src/records/entries.ts';
import type { RecordedEdit, RecordEvent, ToolResult, Turn } from '../../../src/records/events.ts';
import { turnMark } from '../../../src/records/turnMark.ts';
import { withoutPasteMarks } from '../../../src/records/withoutPasteMarks.ts';
import { cwd, editLines, linesOf, pastedLines, recorded, versions, type Version } from './fixtures.ts';

/** What a conversation tells of these lines. */
function told(lines: readonly string[]) {
  const events: RecordEvent[] = [];
  const conversation = new Conversation((event) => events.push(event));
  for (const line of lines) {
    const entry = parseEntry(Buffer.from(line));
    if (entry) {
      conversation.take(entry);
    }
  }
  const of = <T extends RecordEvent['type']>(type: T) =>
    events.filter((event): event is Extract<RecordEvent, { type: T }> => event.type === type);
  return { conversation, events, of };
}

/** The main transcript, with the sub-agent's where it was started. */
function session(version: Version): string[] {
  const lines = linesOf(version);
  const { agent } = recorded[version];
  const at = lines.findIndex((line) => /"name":"(Agent|Task)"/.test(line)) + 1;
  return agent === undefined
    ? lines
    : [...lines.slice(0, at), ...linesOf(version, agent), ...lines.slice(at)];
}

describe("what the CLI's transcripts tell", () => {
  for (const version of versions) {
    describe(version, () => {
      const file = `${cwd}/greet.ts`;
      const { conversation, of } = told(session(version));
      const turns = () => of('turnEnded').map(({ turn }) => turn);
      const turn = (prompt: string): Turn => {
        const found = turns().find((ended) => ended.prompt.startsWith(prompt));
        assert.ok(found, prompt);
        return found;
      };
      const result = (id: string): ToolResult => {
        const found = of('toolEnded').find((event) => event.result.use.id === id);
        assert.ok(found, id);
        return found.result;
      };

      it('each prompt, with its time', () => {
        const typed = of('prompt').filter(({ isTyped }) => isTyped);
        assert.deepEqual(
          typed.slice(0, 7).map(({ turn }) => turn.prompt.trim()),
          [
            'say hello',
            'list files',
            'make a file',
            'make another',
            'edit it',
            'edit and write',
            'use an agent',
          ],
        );
        assert.ok(typed.every(({ turn, at }) => turn.begun === at && new Date(at).getUTCFullYear() === 2026));
      });

      it('each tool with what it is to do, from its begin to its end', () => {
        const [begun] = of('toolBegun').filter(({ use }) => use.id === 'toolu_mock_2');
        assert.deepEqual([begun?.use.name, begun?.use.input.command], ['Bash', 'touch made.txt']);
        const { use, ended, ...outcome } = result('toolu_mock_2');
        assert.ok(ended > use.begun && ended - use.begun < 10_000, `${ended - use.begun} ms`);
        assert.deepEqual(outcome, {
          isError: false,
          isRefused: false,
          isInterrupted: false,
          isInBackground: false,
        });
        assert.deepEqual(conversation.openTools, []);
      });

      it('that one was refused and has not run', () => {
        const { isError, isRefused, isInterrupted } = result('toolu_mock_3');
        assert.deepEqual(
          { isError, isRefused, isInterrupted },
          {
            isError: true,
            isRefused: true,
            isInterrupted: false,
          },
        );
        assert.equal(turn('make another').isInterrupted, true);
      });

      it('that one was interrupted after it had run for a while', () => {
        const { isRefused, isInterrupted } = result('toolu_mock_11');
        assert.deepEqual({ isRefused, isInterrupted }, { isRefused: false, isInterrupted: true });
      });

      it('that one goes on in the background', () => {
        assert.equal(result('toolu_mock_13').isInBackground, true);
      });

      it('each edit with the text from before, of sub-agents, too', () => {
        const edits = of('edit').map(({ edit }): Partial<RecordedEdit> => edit);
        const seen = edits.map(({ filePath, before, after, agentId }) => ({
          filePath,
          before,
          after,
          isAgents: agentId !== undefined,
        }));
        const [a, b] = ['export const a = 1', 'export const b = 2'];
        assert.deepEqual(seen, [
          { filePath: file, before: `${a};\n${b};\n`, after: undefined, isAgents: false },
          { filePath: file, before: `${a}0;\n${b};\n`, after: undefined, isAgents: false },
          { filePath: `${cwd}/new.md`, before: null, after: '# new\n', isAgents: false },
          { filePath: file, before: `${a}0;\n${b}0;\n`, after: undefined, isAgents: true },
        ]);
        assert.deepEqual(edits[0]?.patch, [
          {
            oldStart: 1,
            oldLines: 2,
            newStart: 1,
            newLines: 2,
            lines: [`-${a};`, `+${a}0;`, ` ${b};`],
          },
        ]);
      });

      it('the turns, with their files and tools', () => {
        const { files, toolUses, isInterrupted, begun, ended } = turn('edit and write');
        assert.deepEqual(files, [file, `${cwd}/new.md`]);
        assert.deepEqual(
          toolUses.map(({ name }) => name),
          ['Edit', 'Write'],
        );
        assert.equal(isInterrupted, false);
        assert.ok(begun < (ended ?? 0));
        assert.deepEqual(turn('list files').files, []);
        assert.ok(turn('use an agent').files.includes(file));
      });

      it('the model and how full its context is', () => {
        assert.match(conversation.model ?? '', /^claude-/);
        assert.equal(conversation.contextTokens, 20); // the mock says 10 in, 10 out
      });
    });
  }

  for (const version of versions) {
    it(`${version}: edits of a notebook, of a whole file, and of several places, as far as it writes them down`, () => {
      const edits = told(editLines(version))
        .of('edit')
        .map(({ edit: { filePath, before, after, patch } }) => [
          filePath.slice(cwd.length + 1),
          typeof before,
          after?.includes('"x = 2') ?? after,
          patch.flatMap(({ lines }) => lines.filter((line) => line.startsWith('+'))).join(),
        ]);
      assert.deepEqual(
        edits,
        version === '1.0.128'
          ? [
              ['greet.ts', 'undefined', false, '+all new'],
              ['greet.ts', 'string', undefined, '+quite new'],
            ]
          : [
              ['n.ipynb', 'string', true, ''],
              ['greet.ts', 'string', false, '+all new'],
            ],
      );
    });
  }

  it('2.1.330: the mode, from the prompts and the lines of their own', () => {
    const modes = told(linesOf('2.1.330')).of('mode');
    assert.deepEqual(
      modes.map(({ mode }) => mode),
      ['default', 'acceptEdits', 'plan'],
    );
  });

  it('that the CLI has prompted itself at the end of a background task', () => {
    for (const version of ['2.1.330', '2.0.77'] as const) {
      const own = told(linesOf(version))
        .of('prompt')
        .filter(({ isTyped }) => !isTyped);
      assert.ok(own.length > 0, version);
      assert.ok(
        own.every(({ turn }) => turn.prompt.startsWith('<task-notification>')),
        version,
      );
    }
  });

  it('no turn of commands that the CLI runs itself', () => {
    for (const version of ['2.1.330', '2.0.77'] as const) {
      const { of, conversation } = told(linesOf(version, `${recorded[version].cleared}.jsonl`));
      assert.deepEqual(
        of('prompt').map(({ turn }) => turn.prompt),
        ['are you there', 'go on'],
        version,
      );
      assert.equal(conversation.isRunning, false);
    }
  });

  it('a turn of a command that the model answers', () => {
    const line = (fields: object) => JSON.stringify({ timestamp: '2026-11-23T10:00:00.000Z', ...fields });
    const { conversation } = told([
      line({
        type: 'user',
        message: {
          content:
            '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>all of it</command-args>',
        },
      }),
      line({ type: 'user', isMeta: true, message: { content: [{ type: 'text', text: 'Review …' }] } }),
      line({ type: 'assistant', message: { model: 'claude-x', content: [], stop_reason: null } }),
    ]);
    assert.equal(conversation.turn?.prompt, '/review all of it');
    assert.equal(conversation.isRunning, true);
  });

  it('nothing of what is not asked for, without parsing it', () => {
    const lines = linesOf('2.1.330');
    for (const type of [
      'api-request',
      'attachment',
      'file-history-snapshot',
      'cost-state',
      'queue-operation',
    ]) {
      const line = lines.find((found) => found.includes(`"type":"${type}"`));
      assert.ok(line, type);
      assert.equal(isWanted(Buffer.from(line)), false, type);
    }
  });

  it('all the rest of a line in which something is not as it was', () => {
    const lines = linesOf('2.1.330').map((line) =>
      line
        .replace('"gitBranch":"master"', '"gitBranch":{"name":["master"]},"new":1')
        .replace(/"permissionMode":"\w+"/, '"permissionMode":7')
        .replace(/"usage":\{/, '"usage":3,"was":{')
        .replace('"userModified":false', '"userModified":"no"'),
    );
    const { of, conversation } = told(lines);
    assert.equal(of('edit').length, 3);
    assert.equal(of('prompt').length, told(linesOf('2.1.330')).of('prompt').length);
    assert.deepEqual([conversation.mode, conversation.contextTokens], [undefined, undefined]);
  });

  it('nothing of lines that are none', () => {
    for (const line of [
      '',
      '{',
      'null',
      '[]',
      '{"type":"user"',
      '{"type":"user"}',
      '{"type":"user","message":[]}',
      '\u0000',
    ]) {
      assert.equal(parseEntry(Buffer.from(line)), undefined, line);
    }
  });

  it('the end of what ran before a clock that was put back', () => {
    const line = (time: string, fields: object) =>
      JSON.stringify({ uuid: time, timestamp: `2026-11-23T${time}.000Z`, ...fields });
    const { of } = told([
      line('10:00:00', { type: 'user', message: { content: 'go' } }),
      line('10:00:01', {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
      }),
      line('09:00:00', {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't' }] },
      }),
      line('09:00:01', { type: 'assistant', message: { content: [], stop_reason: 'end_turn' } }),
    ]);
    assert.equal(of('toolEnded').length, 1);
    assert.equal(of('turnEnded').length, 1);
  });

  describe('what is still asked about', () => {
    const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const line = (second: number, fields: object) => JSON.stringify({ timestamp: time(second), ...fields });
    const of = (agentId?: string) => (agentId === undefined ? {} : { agentId, isSidechain: true });
    const says = (second: number, text: string) => line(second, { type: 'user', message: { content: text } });
    const uses = (second: number, id: string, name: string, agentId?: string) =>
      line(second, {
        type: 'assistant',
        ...of(agentId),
        message: { content: [{ type: 'tool_use', id, name, input: {} }], stop_reason: 'tool_use' },
      });
    const ends = (second: number, id: string, toolUseResult?: object) =>
      line(second, {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: id }] },
        toolUseResult,
      });
    const asked = (...lines: string[]) => told(lines).conversation.openTools.map(({ id }) => id);
    const begun = [says(1, 'go'), uses(2, 'agent', 'Agent'), uses(3, 'bash', 'Bash', 'a1')];
    const launched = ends(4, 'agent', { isAsync: true, status: 'async_launched', agentId: 'a1' });
    const notified = says(6, '<task-notification>\n<task-id>a1</task-id>\n</task-notification>');

    it('is not what a sub-agent that has ended has left open', () => {
      assert.deepEqual(asked(...begun), ['agent', 'bash']);
      assert.deepEqual(asked(...begun, ends(4, 'agent', { status: 'completed', agentId: 'a1' })), []);
    });

    it('is not what one that was interrupted has left open', () => {
      assert.deepEqual(asked(...begun, ends(4, 'agent'), says(5, '[Request interrupted by user]')), []);
      assert.deepEqual(asked(...begun, ends(4, 'agent'), says(5, 'next')), []);
    });

    it('is not what is read of a sub-agent only after the session itself', () => {
      const [prompt = '', agent = '', bash = ''] = begun;
      assert.deepEqual(asked(prompt, agent, ends(4, 'agent'), says(5, 'next'), bash), []);
    });

    it('is that of one in the background, until it is said to have ended', () => {
      assert.deepEqual(asked(...begun, launched, says(5, 'next')), ['bash']);
      assert.deepEqual(asked(...begun, launched, says(5, '[Request interrupted by user]')), ['bash']);
      assert.deepEqual(asked(...begun, launched, notified), []);
      assert.deepEqual(asked(...begun, launched, notified, uses(7, 'again', 'Bash', 'a1')), ['again']);
    });
  });
});

describe('what was pasted into a prompt', () => {
  it('of 2.1.330 stands in it as it was pasted', () => {
    const turns = told(pastedLines())
      .of('prompt')
      .map(({ turn }) => turn);
    assert.deepEqual(
      turns.map(({ prompt }) => prompt),
      [
        'Review of your changes, with 1 comment:\n\n1. scenario-0/reviewed.txt, line 2:\n```txt\nTWO\n```\nNot so loud.\nPlease.',
        'look at alpha beta and l1\nl2\nl3\nl4\nl5\nl6\nl7 please',
        'd1\nd2\nd3\nd4\nd5\nd6e1\ne2\ne3\ne4\ne5\ne6',
      ],
    );
    assert.equal(turns[0] && turnMark(turns[0]).prompt, 'Review of your changes, with 1 comment:');
  });

  const pasted = (text: string, id = '2c34') =>
    `\n\n<pasted_content id="${id}">\n${text}\n</pasted_content id="${id}">\n`;

  for (const [what, text, shown] of [
    ['line ends of the user', `one\n${pasted('two')}\n\n\nthree`, 'one\ntwo\n\nthree'],
    ['nothing', `a${pasted('').replace('\n\n</', '\n</')}\nb`, 'ab'],
    [
      'a mark with another number',
      pasted(`a\n</pasted_content id="0000">\nb`),
      `a\n</pasted_content id="0000">\nb`,
    ],
  ] as const) {
    it(`leaves ${what}`, () => assert.equal(withoutPasteMarks(text), shown));
  }

  for (const text of [
    'what is <pasted_content id="2c34"> in it?',
    '<pasted_content id="2c34">\nand no end',
    '<pasted_content id="zzzz">\na\n</pasted_content id="zzzz">',
  ]) {
    it(`is not guessed of ${JSON.stringify(text)}`, () => assert.equal(withoutPasteMarks(text), text));
  }

  it('takes no time where a hostile text has many beginnings', () => {
    const many = '<pasted_content id="2c34">\n'.repeat(200_000);
    const begun = performance.now();
    assert.equal(withoutPasteMarks(many), many);
    assert.ok(performance.now() - begun < 1_000);
  });
});
