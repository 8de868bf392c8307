/** Those of the languages: texts in their quotes, and a number where a type or a value may stand. */
const literal = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=[:=|<([,]\s?)-?\d[\w.]*/g;

/** Names of members and of parameters. */
const member = /[\p{L}\p{N}_$]+(?=\??\s*[:(])/gu;

/**
 * A type that a language server has worked out may have the value of a constant, or the members of a type, of a file that is
 * not shared: here each that stands in none of the texts is `…`.
 * @param code how a server shows types
 * @param texts what may be said in any case; undefined: everything
 */
export function masked(code: string, texts: readonly string[] | undefined): string {
  const mask = (value: string) => {
    const bare = value.replace(/^(["'`])(.*)\1$/s, '$2');
    return texts?.some((text) => text.includes(bare)) ? value : value.replace(bare, () => '…');
  };
  return texts ? code.replace(literal, mask).replace(member, mask) : code;
}

/** The same for the code in Markdown. */
export function maskedCode(markdown: string, texts: readonly string[] | undefined): string {
  return markdown.replace(/(```[^\n]*\n)([^]*?)(```|$)/g, (_, begin: string, code: string, end: string) =>
    [begin, masked(code, texts), end].join(''),
  );
}
