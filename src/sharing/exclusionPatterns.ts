import * as vscode from 'vscode';

/** Paths whose answer is kept: those of a large workspace's problems, and some. */
const maxKnown = 10_000;

interface Pattern {
  readonly text: string;
  readonly selector: vscode.DocumentFilter[];
}

/**
 * Globs of what is never shared, as they are set. To match a path takes the editor longer than all the rest of what a
 * client asks for, so each is matched once: nothing but the globs and the path counts, and neither changes.
 */
export class ExclusionPatterns {
  readonly texts: readonly string[];
  private readonly patterns: readonly Pattern[];
  private readonly known = new Map<string, string | undefined>();

  constructor(texts: readonly string[]) {
    this.texts = texts;
    this.patterns = texts.map((text) => ({ text, selector: selectorOf(text) }));
  }

  /** The first one that matches. */
  of(uri: vscode.Uri): string | undefined {
    const path = uri.fsPath;
    if (!this.known.has(path)) {
      if (this.known.size >= maxKnown) {
        this.known.clear();
      }
      const file = { uri, languageId: '' } as vscode.TextDocument;
      const found = this.patterns.find(({ selector }) => vscode.languages.match(selector, file) > 0);
      this.known.set(path, found?.text);
    }
    return this.known.get(path);
  }
}

/** The editor's own globs; a pattern matches at any depth, and a folder's stands for what is in it. */
function selectorOf(text: string): vscode.DocumentFilter[] {
  const path = text.replace(/\/$/, '');
  const anywhere = /^(\*\*\/|\/|[A-Za-z]:)/.test(path) ? path : `**/${path}`;
  return [{ pattern: anywhere }, { pattern: `${anywhere}/**` }];
}
