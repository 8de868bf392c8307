import { type HunkLines, lineChanges } from '../base/lineMerge.ts';
import { differingParts, isSame, lineCount, linesOf } from './comparison.ts';

/** A text by its lines. */
interface Known {
  readonly bytes: Buffer;
  readonly numbers: readonly number[];
}

interface Compared {
  readonly before: readonly number[];
  readonly now: readonly number[];
  readonly changes: HunkLines<number>[] | undefined;
}

/** Texts of which the lines are kept: a save has one more than the sessions that have changed its file. */
const maxTexts = 8;
/** Lines; twice as many as one diff looks at. */
const maxLines = 400_000;

/**
 * A number for each line, equal ones have the same. To read the lines of a long file, and to compare them as texts, takes most
 * of the time of a diff: so of a text that is mostly another one only the part that differs is read.
 */
export class LineNumbers {
  private readonly numbers = new Map<string, number>();
  private readonly lines: string[] = [];
  /** Those that were asked for last come first. */
  private texts: readonly Known[] = [];
  private compared: readonly Compared[] = [];

  of(bytes: Buffer): readonly number[] {
    const known = this.texts.find((text) => isSame(text.bytes, bytes));
    return this.know(bytes, known?.numbers ?? this.read(bytes));
  }

  /** @returns the numbers of that text */
  know(bytes: Buffer, numbers: readonly number[]): readonly number[] {
    const others = this.texts.filter((text) => text.numbers !== numbers);
    this.texts = [{ bytes, numbers }, ...others.slice(0, maxTexts - 1)];
    return numbers;
  }

  /** As `lineChanges`, of lines that this has numbered. */
  changes(before: readonly number[], now: readonly number[]): HunkLines<number>[] | undefined {
    const known = this.compared.find((each) => each.before === before && each.now === now);
    const found = known ?? {
      before,
      now,
      changes: lineChanges(before, now, (...both) => [...both, this.lines.length]),
    };
    this.compared = [found, ...this.compared.filter((each) => each !== known).slice(0, maxTexts - 1)];
    return found.changes;
  }

  numberOf(line: string): number {
    let number = this.numbers.get(line);
    if (number === undefined) {
      number = this.lines.length;
      this.numbers.set(line, number);
      this.lines.push(line);
    }
    return number;
  }

  /** With its line end, in Latin-1. */
  lineOf(number: number): string {
    return this.lines[number] ?? '';
  }

  bytesOf(numbers: readonly number[]): Buffer {
    return Buffer.from(numbers.map((number) => this.lineOf(number)).join(''), 'latin1');
  }

  /** Whether most of it may be what is not there any more. */
  get isLarge(): boolean {
    return this.lines.length > maxLines;
  }

  private read(bytes: Buffer): readonly number[] {
    const numbersOf = (part: Buffer) => linesOf(part).map((line) => this.numberOf(line));
    const [last] = this.texts;
    if (!last) {
      return numbersOf(bytes);
    }
    const [old, now] = differingParts(last.bytes, bytes);
    const start = lineCount(bytes.subarray(0, now.byteOffset - bytes.byteOffset));
    return last.numbers.slice(0, start).concat(numbersOf(now), last.numbers.slice(start + lineCount(old)));
  }
}
