/**
 * A prompt as it was typed. What the prompt shows as `[Pasted text #1 +7 lines]` stands in the transcript of CLI 2.1.330
 * between `<pasted_content id="2c34">` and `</pasted_content id="2c34">`, each on a line of its own, with four hexadecimal
 * digits and with up to two line ends before and behind both, which it takes off again itself. A short paste, one into the
 * arguments of a command, and those of 2.0 and 1.0 stand there as they are.
 */
export function withoutPasteMarks(text: string): string {
  const opening = /\n{0,2}<pasted_content id="([0-9a-f]{4})">\n/g;
  let words = '';
  let from = 0;
  for (let found; (found = opening.exec(text)); opening.lastIndex = from) {
    const closing = `\n</pasted_content id="${found[1]}">`;
    const start = opening.lastIndex;
    const end = text.indexOf(closing, start - 1); // where nothing was pasted, there is one line end for both
    if (end < 0) {
      break;
    }
    words += text.slice(from, found.index) + text.slice(start, end);
    from = end + closing.length;
    for (let ends = 0; ends < 2 && text[from] === '\n'; ends++) {
      from++;
    }
  }
  return words + text.slice(from);
}
