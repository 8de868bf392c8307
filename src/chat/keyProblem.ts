/** UTF-16 units. */
const maxLength = 2_000;

/**
 * What speaks against it being a key of the API at that address.
 * @returns a sentence that does not quote it; undefined if nothing does
 */
export function problemOfKey(typed: string, apiUrl: string): string | undefined {
  const key = typed.trim();
  if (key === '') {
    return 'Paste the key.';
  }
  if (!/^[!-~]+$/.test(key)) {
    return 'A key has neither spaces nor letters outside of ASCII.';
  }
  if (key.length > maxLength) {
    return 'This is too long for a key.';
  }
  if (/^sk-ant-(oat|ort)/.test(key)) {
    return 'This is a token of a login, which the API does not take as a key.';
  }
  // A gateway has keys of its own.
  return /^https:\/\/api\.anthropic\.com\/?$/.test(apiUrl) && !/^sk-ant-[\w-]{10,}$/.test(key)
    ? 'A key of the Anthropic API begins with “sk-ant-”.'
    : undefined;
}
