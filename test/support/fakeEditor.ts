import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { ChangeReview } from '../../src/changes/changeReview.ts';
import type { ChangeSets } from '../../src/changes/changeSets.ts';
import type { Entry } from '../../src/changes/changeSet.ts';
import type { Editor, Unsaved } from '../../src/changes/editor.ts';
import { takeSavedLines } from '../../src/changes/savedLines.ts';
import { TextSince } from '../../src/changes/textSince.ts';

interface OpenText {
  text: string;
  /** What it was when it was last the same as the file. */
  saved: string;
  /** Of the file at that time, in ms. */
  mtime: number;
  /** Oldest first. */
  readonly undo: string[];
}

/** What VS Code does with open files, as far as Agent Changes meets it: one buffer per file, and the events of the user's hand. */
export class FakeEditor implements Editor {
  private readonly buffers = new Map<string, OpenText>();
  private writes = 0;
  /** Who hears of what the user does. */
  review: ChangeReview | undefined;
  sets: ChangeSets | undefined;
  /** And of which files and folders it was. */
  onDidUse: ((path: string) => void) | undefined;
  /** The next edit or save that is asked for is refused. */
  refuses: 'edit' | 'save' | undefined;

  /** The file, written by whomever: each time with another modification time, as on a disk that is not too fast. */
  write(path: string, content: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    this.touch(path);
  }

  touch(path: string): void {
    const time = new Date(Date.now() + ++this.writes * 10_000);
    utimesSync(path, time, time);
  }

  /** Buffers without unsaved changes follow their files. */
  follow(): void {
    for (const [path, buffer] of this.buffers) {
      if (buffer.text === buffer.saved) {
        if (existsSync(path)) {
          this.load(path, buffer);
        } else {
          this.buffers.delete(path);
        }
      }
    }
  }

  text(path: string): string | undefined {
    return this.buffers.get(path)?.text;
  }

  /** All that is typed and not saved, by path. */
  get typed(): Map<string, string> {
    return new Map(
      [...this.buffers].filter(([path]) => this.isDirty(path)).map(([path, { text }]) => [path, text]),
    );
  }

  isDirty(path: string): boolean {
    const buffer = this.buffers.get(path);
    return buffer !== undefined && buffer.text !== buffer.saved;
  }

  type(path: string, change: (text: string) => string): void {
    const buffer = this.open(path);
    buffer.undo.push(buffer.text);
    buffer.text = change(buffer.text);
  }

  undo(path: string): void {
    const buffer = this.open(path);
    buffer.text = buffer.undo.pop() ?? buffer.text;
  }

  /**
   * By hand or by itself. @returns false when the file is newer than what was read of it
   * @param how `plainly`: without formatting, of which nobody hears before; or what the user types while it is written
   */
  save(path: string, how?: 'plainly' | { line: string }): boolean {
    const buffer = this.open(path);
    if (how !== 'plainly') {
      this.review?.willSave(path);
    }
    if (existsSync(path) && buffer.mtime < statSync(path).mtimeMs) {
      return false;
    }
    this.write(path, buffer.text);
    this.load(path, buffer);
    const texts = new TextSince(buffer.text);
    if (typeof how === 'object') {
      texts.change([{ rangeOffset: buffer.text.length, rangeLength: 0, text: how.line }]);
      buffer.text += how.line;
    }
    const { review, sets } = this;
    const document = { getText: () => buffer.text };
    review?.didSave(path, (save) => sets && takeSavedLines(review, sets, path, save, document, texts.all()));
    this.onDidUse?.(path);
    return true;
  }

  rename(from: string, to: string): void {
    mkdirSync(dirname(to), { recursive: true });
    rmSync(to, { recursive: true, force: true });
    renameSync(from, to);
    this.drop(to);
    for (const [path, buffer] of [...this.buffers]) {
      if (isAt(path, from)) {
        this.buffers.delete(path);
        this.buffers.set(to + path.slice(from.length), buffer);
      }
    }
    this.review?.didRename(from, to);
    [from, to].forEach((path) => this.onDidUse?.(path));
  }

  remove(path: string): void {
    rmSync(path, { recursive: true, force: true });
    this.drop(path);
    this.review?.didDelete(path);
    this.onDidUse?.(path);
  }

  unsaved(path: string): Unsaved | undefined {
    if (!this.isDirty(path)) {
      return undefined;
    }
    const typed = this.open(path).text;
    return {
      replace: async (_entry: Entry, bytes: Buffer) => {
        if (this.isRefused('edit')) {
          return false;
        }
        this.type(path, () => bytes.toString());
        return true;
      },
      putBack: async () => this.type(path, () => typed),
      save: async () => !this.isRefused('save') && this.save(path),
    };
  }

  async delete(path: string): Promise<boolean> {
    if (this.isRefused('edit')) {
      return false;
    }
    this.remove(path);
    return true;
  }

  private isRefused(what: 'edit' | 'save'): boolean {
    const isMeant = this.refuses === what;
    if (isMeant) {
      this.refuses = undefined;
    }
    return isMeant;
  }

  private open(path: string): OpenText {
    let buffer = this.buffers.get(path);
    if (!buffer) {
      buffer = { text: readFileSync(path, 'utf8'), saved: '', mtime: 0, undo: [] };
      this.load(path, buffer);
      this.buffers.set(path, buffer);
    }
    return buffer;
  }

  private load(path: string, buffer: OpenText): void {
    const text = readFileSync(path, 'utf8');
    if (text !== buffer.text) {
      buffer.undo.push(buffer.text);
    }
    buffer.text = text;
    buffer.saved = text;
    buffer.mtime = statSync(path).mtimeMs;
  }

  private drop(path: string): void {
    for (const open of [...this.buffers.keys()].filter((candidate) => isAt(candidate, path))) {
      this.buffers.delete(open);
    }
  }
}

function isAt(path: string, fileOrFolder: string): boolean {
  return path === fileOrFolder || path.startsWith(fileOrFolder + sep);
}

/** The files of a folder, by their names in it. */
export function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}
