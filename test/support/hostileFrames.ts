import { randomBytes } from 'node:crypto';

/** A generator of numbers below `limit` that a seed repeats (mulberry32). */
export function randomizer(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

interface Frame {
  fin?: boolean;
  reserved?: number;
  opcode: number;
  payload?: Buffer;
  masked?: boolean;
  /** What the header says, if not the truth. */
  length?: bigint;
}

/** RFC 6455, section 5.2 */
export function frame({
  fin = true,
  reserved = 0,
  opcode,
  payload = Buffer.alloc(0),
  masked = true,
  length,
}: Frame): Buffer {
  const told = length ?? BigInt(payload.length);
  const mask = masked ? 0x80 : 0;
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  let head: Buffer;
  if (told < 126n) {
    head = Buffer.from([first, mask | Number(told)]);
  } else if (told < 65_536n) {
    head = Buffer.from([first, mask | 126, 0, 0]);
    head.writeUInt16BE(Number(told), 2);
  } else {
    head = Buffer.from([first, mask | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(told, 2);
  }
  // The key 0 leaves the payload as it is.
  return Buffer.concat([head, ...(masked ? [Buffer.alloc(4)] : []), payload]);
}

const texts = [
  ...[
    '',
    '{',
    'null',
    '[]',
    '[[]]',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":1}',
    '\u0000',
    '"x"',
    '1e999',
  ],
  ...['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
  ...['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":[]}}'],
  ...['{"jsonrpc":"2.0","id":{},"method":"initialize","params":{"protocolVersion":1}}', '['.repeat(5_000)],
  ...['{"jsonrpc":"2.0","method":"ide_connected","params":{"pid":-1}}', '{"__proto__":{"id":1}}'],
  ...['{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', 'x'.repeat(70_000)],
].map((text) => Buffer.from(text));

/** A frame that is well formed, with a payload that is not: the connection has to stand it. */
export function unwelcomeFrame(random: (limit: number) => number): Buffer {
  const text = texts[random(texts.length)] ?? Buffer.alloc(0);
  switch (random(6)) {
    case 0:
      return frame({ opcode: 9, payload: randomBytes(random(126)) });
    case 1:
      return frame({ opcode: 10, payload: randomBytes(random(126)) });
    case 2: // one message in three frames, with a ping between them
      return Buffer.concat([
        frame({ opcode: 1, fin: false, payload: text.subarray(0, 3) }),
        frame({ opcode: 9 }),
        frame({ opcode: 0, fin: false }),
        frame({ opcode: 0, payload: text.subarray(3) }),
      ]);
    default:
      return frame({ opcode: 1, payload: text });
  }
}

/** A frame that breaks the protocol: the connection has to go. */
export function brokenFrame(random: (limit: number) => number): Buffer {
  const breaks: (() => Buffer)[] = [
    () => frame({ opcode: 1, masked: false, payload: Buffer.from('{}') }),
    () => frame({ opcode: 1, reserved: 1 + random(7), payload: Buffer.from('{}') }),
    () => frame({ opcode: 3 + random(5) }),
    () => frame({ opcode: 11 + random(5) }),
    () => frame({ opcode: 0 }), // continues nothing
    () => Buffer.concat([frame({ opcode: 1, fin: false }), frame({ opcode: 1 })]),
    () => frame({ opcode: 9, fin: false }),
    () => frame({ opcode: 9, payload: Buffer.alloc(126) }),
    () => frame({ opcode: 8, payload: Buffer.from([1]) }),
    () => frame({ opcode: 8, payload: Buffer.from([0, 5]) }),
    () => frame({ opcode: 1, payload: Buffer.from([0xff, 0xfe, 0xc0, 0x80]) }),
    () => frame({ opcode: 2, payload: randomBytes(random(200)) }),
    () => frame({ opcode: 1, length: 17n * 1024n * 1024n }),
    () => frame({ opcode: 1, length: 2n ** 53n }),
    () => frame({ opcode: 1, length: 2n ** 64n - 1n }),
  ];
  return breaks[random(breaks.length)]?.() ?? Buffer.alloc(0);
}
