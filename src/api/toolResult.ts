import { maxText, shownText } from '../editorTools/answers.ts';
import { wordsOf } from '../editorTools/errorWords.ts';
import type { ToolResult } from '../protocol/mcp.ts';
import { text } from '../tools/tool.ts';

/** What a handler has given, as clients get it. @throws Error in words for the model where it can be given to none */
export function resultOf(given: unknown): ToolResult {
  if (typeof given === 'string') {
    return text(shownText(given, maxText));
  }
  const json = jsonOf(given);
  if (json.length > maxText) {
    throw new Error(
      `The answer has ${json.length} characters, ${maxText} at most can be given: ask for less.`,
    );
  }
  const data = JSON.parse(json) as unknown;
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  return { ...text(json), ...(isObject && { structuredContent: data }) };
}

function jsonOf(given: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(given);
  } catch (error) {
    throw new Error(`The tool has given what cannot be written as JSON: ${wordsOf(error)}`, { cause: error });
  }
  if (json === undefined) {
    throw new Error('The tool has given no answer: neither text nor anything that can be written as JSON.');
  }
  return json;
}
