/** Those of the languages: texts in their quotes, and a number where a type or a value may stand. */
const literal = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=[:=|<([,]\s?)-?\d[\w.]*/g;

/** Names of members and of parameters. */
const member = /[\p{L}\p{N}_$]+(?=\??\s*[:(])/gu;

export interface Masks {
  /** What may be said in any case. */
  readonly texts: readonly string[];
  /** Whether names are masked too, not only values. */
  readonly names: boolean;
}

/**
 * A type that a language server has worked out may have the value of a constant, or the members of a type, of a file that is
 * not shared: here each that stands in none of the texts is `…`.
 * @param code how a server shows types
 */
export function masked(code: string, { texts, names }: Masks): string {
  const mask = (value: string) => {
    const bare = value.replace(/^(["'`])(.*)\1$/s, '$2');
    return texts.some((text) => text.includes(bare)) ? value : value.replace(bare, () => '…');
  };
  const withoutValues = code.replace(literal, mask);
  return names ? withoutValues.replace(member, mask) : withoutValues;
}

/** The same for the code in Markdown. */
export function maskedCode(markdown: string, masks: Masks): string {
  return markdown.replace(/(```[^\n]*\n)([^]*?)(```|$)/g, (_, begin: string, code: string, end: string) =>
    [begin, masked(code, masks), end].join(''),
  );
}
