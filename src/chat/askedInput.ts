import { toolLine } from './toolLine.ts';

/** A part of what the user is asked about, and the language that it is shown in. */
export type AskedPart = readonly [text: string, language: 'sh' | 'json'];

/**
 * All of a tool's input, as whoever agrees must have seen it: of a command what else is asked for with it, too, such as to run
 * it outside of the sandbox. What the model says that it does is shown in another place.
 */
export function askedInput(tool: string, input: Readonly<Record<string, unknown>>): readonly AskedPart[] {
  const { command } = input;
  if (typeof command !== 'string' || toolLine(tool, input)?.code !== command) {
    return [[JSON.stringify(input, null, 2), 'json']];
  }
  const others: Record<string, unknown> = { ...input };
  delete others['command'];
  delete others['description'];
  return [
    [command, 'sh'],
    ...(Object.keys(others).length > 0 ? [[JSON.stringify(others, null, 2), 'json'] as const] : []),
  ];
}
