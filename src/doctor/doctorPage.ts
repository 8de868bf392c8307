import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { Bridge } from '../server/bridge.ts';
import { type Checkup, pageCommands } from './doctor.ts';

/** What changes a finding comes in bursts, and each look starts the CLI once, in ms. */
const lookAgainAfter = 500;

/**
 * The checkup as a page that is looked at anew when something changes. The Markdown preview runs no commands, so it is
 * one of our own: without scripts, and with links to the commands that mend, and no others.
 */
export class DoctorPage implements Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private looks = 0;
  private readonly lookAgain = new Throttle(lookAgainAfter, () => void this.update());
  private readonly subscription: Disposable;

  constructor(
    bridge: Bridge,
    private readonly examine: () => Promise<Checkup>,
  ) {
    const change = () => this.panel?.visible && this.lookAgain.schedule();
    this.subscription = vscode.Disposable.from(
      bridge.onDidChangeState(change),
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
    this.panel?.dispose();
  }

  private open(): vscode.WebviewPanel {
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

  /** The page of the last look: an earlier one may take longer. */
  private async update(): Promise<void> {
    const look = ++this.looks;
    const checkup = await this.examine();
    if (this.panel && look === this.looks) {
      this.panel.webview.html = toHtml(checkup);
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
function toHtml({ title, sections }: Checkup): string {
  const nonce = randomUUID();
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
