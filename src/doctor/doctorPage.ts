import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { type Checkup, Examination, type Examined, pageCommands } from './doctor.ts';

/** What changes a finding comes in bursts, and each look starts the CLI once, in ms. */
const lookAgainAfter = 500;

/** Most checks end within that, in ms: the page is written once for all of them. */
const drawAfter = 100;

/**
 * The checkup as a page that is looked at anew when something changes. The Markdown preview runs no commands, so it is
 * one of our own: without scripts, and with links to the commands that mend, and no others.
 */
export class DoctorPage implements Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** Of this page alone: what an earlier one has said is old. */
  private examination: Examination;
  private readonly nonce = randomUUID();
  private readonly lookAgain = new Throttle(lookAgainAfter, () => void this.update());
  private readonly redraw = new Throttle(drawAfter, () => this.draw());
  private absent = '';
  private readonly subscription: Disposable;

  constructor(private readonly examined: Examined) {
    this.examination = new Examination(examined);
    const { bridge, states } = examined;
    const change = () => this.panel?.visible && this.lookAgain.schedule();
    this.subscription = vscode.Disposable.from(
      bridge.onDidChangeState(change),
      states.onDidChange(() => {
        const absent = states.absent.map(({ pid, text }) => `${pid} ${text}`).join();
        if (absent !== this.absent) {
          this.absent = absent;
          change();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(change),
      vscode.workspace.onDidChangeWorkspaceFolders(change),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (['ideBridge', 'terminal.integrated.env'].some((section) => event.affectsConfiguration(section))) {
          change();
        }
      }),
    );
  }

  async show(): Promise<void> {
    this.panel ??= this.open();
    this.panel.reveal();
    await this.update();
  }

  dispose(): void {
    this.subscription.dispose();
    this.lookAgain.dispose();
    this.redraw.dispose();
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
    this.examination = new Examination(this.examined);
    const panel = vscode.window.createWebviewPanel(
      'ideBridge.doctor',
      'Claude Code Doctor',
      vscode.ViewColumn.Active,
      {
        enableCommandUris: [...pageCommands.always, ...pageCommands.fixes].map(({ command }) => command),
        enableFindWidget: true,
        localResourceRoots: [],
      },
    );
    panel.onDidDispose(() => (this.panel = undefined));
    let wasVisible = true;
    panel.onDidChangeViewState(() => {
      // It is told also when the focus comes or goes: to write the page anew then would take what is selected in it.
      if (panel.visible && !wasVisible) {
        this.lookAgain.schedule();
      }
      wasVisible = panel.visible;
    });
    return panel;
  }

  private async update(): Promise<void> {
    const schedule = () => this.redraw.schedule();
    schedule();
    await this.examination.look(schedule);
    this.redraw.flush();
  }

  /** To write the same anew would take what is selected in it. */
  private draw(): void {
    const html = toHtml(this.examination.checkup, this.nonce);
    if (this.panel && this.panel.webview.html !== html) {
      this.panel.webview.html = html;
    }
  }
}

const style = `
  body { max-width: 60em; padding: 0.5em 2em 2em; line-height: 1.5; }
  h1, h2 { font-weight: 600; }
  li { margin: 0.4em 0; overflow-wrap: anywhere; }
  .button {
    display: inline-block; margin: 0.2em 0.6em 0.2em 0; padding: 0.2em 0.8em; border-radius: 2px; text-decoration: none;
    color: var(--vscode-button-foreground); background: var(--vscode-button-background);
    border: 1px solid var(--vscode-button-border, transparent);
  }
  .button:hover { color: var(--vscode-button-foreground); background: var(--vscode-button-hoverBackground); }
  .always .button {
    border-color: var(--vscode-button-secondaryBorder, var(--vscode-contrastBorder, transparent));
    color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground);
  }
  .always .button:hover { background: var(--vscode-button-secondaryHoverBackground); }`;

/** What comes from outside becomes text only. */
function toHtml({ title, pending, sections }: Checkup, nonce: string): string {
  const parts = sections.map(
    ({ heading, entries }) => `<h2>${text(heading)}</h2><ul>${entries.map(toItem).join('')}</ul>`,
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${text(title)}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<h1>${text(title)}</h1>
<p class="always">${pageCommands.always.map(toButton).join('')}</p>
${pending.length > 0 ? `<p role="status">Still looked at: ${text(pending.join(', '))}.</p>` : ''}
${parts.join('\n')}
</body>
</html>`;
}

function toItem({ what, remedy, fix }: Checkup['sections'][number]['entries'][number]): string {
  const more = [remedy && `<strong>${text(remedy)}</strong>`, fix && toButton(fix)].filter(Boolean);
  return `<li>${[text(what), ...more].join('<br>')}</li>`;
}

function toButton({ title, command, arguments: args }: vscode.Command): string {
  const query = args ? `?${encodeURIComponent(JSON.stringify(args))}` : '';
  return `<a class="button" role="button" href="command:${command}${text(query)}">${text(title)}</a>`;
}

function text(plain: string): string {
  return plain.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
