import * as vscode from 'vscode';
import { timeText } from '../base/text.ts';
import { suggestionIn } from './reviewText.ts';
import type { SavedComment } from './saved.ts';

/** What the user has written about some lines, for the session that has changed them. */
export class ReviewComment implements vscode.Comment {
  body: vscode.MarkdownString;
  mode = vscode.CommentMode.Preview;
  readonly author = { name: 'You' };
  review: SavedComment['review'];
  sent: SavedComment['sent'];
  /** While it is edited, `body` is what stands in the input. */
  private text: string;

  constructor({ text, review, sent }: SavedComment) {
    this.text = text;
    this.body = markdown(text);
    this.review = review;
    this.sent = sent;
  }

  get saved(): SavedComment {
    const { text, review, sent } = this;
    return { text, ...(review !== undefined && { review }), ...(sent && { sent }) };
  }

  /** Whether it is still to be sent. */
  get isOpen(): boolean {
    return this.review === undefined && !this.sent;
  }

  get label(): string {
    if (this.sent) {
      return `Sent to ${this.sent.to}, ${timeText(this.sent.at)}`;
    }
    return this.review === undefined ? 'Not sent' : 'Waits for the prompt';
  }

  /** For the menus. */
  get contextValue(): string {
    return suggestionIn(this.text) === undefined ? 'comment' : 'suggestion';
  }

  edit(): void {
    this.mode = vscode.CommentMode.Editing;
  }

  /** Takes what stands in the input. @returns whether that is another text, which is to be sent again */
  save(): boolean {
    // The editor puts a text there of which the type says nothing.
    const { body } = this as { body: vscode.MarkdownString | string };
    const text = (typeof body === 'string' ? body : body.value).trim();
    const isChanged = text !== '' && text !== this.text;
    if (isChanged) {
      this.text = text;
      this.sent = undefined;
    }
    this.cancel();
    return isChanged;
  }

  cancel(): void {
    this.body = markdown(this.text);
    this.mode = vscode.CommentMode.Preview;
  }
}

/** The user's own words, in which a link runs no command. */
function markdown(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString(text);
}
