import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Tool } from '../tools/tool.ts';
import { shownText } from './answers.ts';
import { mustBeDeclaredInShared, nameOfCall } from './declaredIn.ts';
import { masked, maskedCode } from './maskedValues.ts';
import { textsNearUnshared } from './namedFiles.ts';
import { readingTool } from './readingTool.ts';
import { target } from './targets.ts';
import type { Workshop } from './workshop.ts';

export function hover({ access, servers, targets }: Workshop): Tool {
  return readingTool({
    name: 'hover',
    title: 'Type and Documentation',
    description: 'Type, signature and documentation of a symbol, as the editor shows them on hovering',
    input: z.object(target),
    output: z.object({ contents: z.array(z.string()) }),
    async run(args, { signal }) {
      const spot = await targets.find(args, signal);
      const { document, position } = spot;
      const declaring = await mustBeDeclaredInShared({ access, servers }, spot, signal);
      const command = 'vscode.executeHoverProvider';
      const hovers = await servers.find<vscode.Hover>(document, signal, command, document.uri, position);
      const texts = await textsNearUnshared([document.uri, ...declaring], access);
      const contents = hovers
        .flatMap((each) => each.contents)
        .map(markdown)
        .filter((text) => text.trim() !== '')
        .map((text) => shownText(maskedCode(text.trim(), texts)));
      return { text: contents.join('\n\n') || 'Nothing is known of that place.', data: { contents } };
    },
  });
}

export function signature({ access, servers, targets }: Workshop): Tool {
  return readingTool({
    name: 'signature',
    title: 'Signature',
    description:
      'The signatures of the call at a position between its parentheses, and which parameter stands there',
    input: z.object(target),
    output: z.object({
      signatures: z.array(z.object({ label: z.string(), documentation: z.optional(z.string()) })),
      activeSignature: z.int(),
      activeParameter: z.int(),
    }),
    async run(args, { signal }) {
      const spot = await targets.find(args, signal);
      const { document, position } = spot;
      const declaring = await mustBeDeclaredInShared({ access, servers }, nameOfCall(spot), signal);
      const command = 'vscode.executeSignatureHelpProvider';
      const help = await servers.ask<vscode.SignatureHelp>(document, signal, command, document.uri, position);
      if (!help) {
        await servers.mustCover(document, signal);
      }
      const texts = await textsNearUnshared([document.uri, ...declaring], access);
      const signatures = (help?.signatures ?? []).map(({ label, documentation }) => ({
        label: shownText(masked(label, texts), 1_000),
        ...(documentation && { documentation: shownText(markdown(documentation), 1_000) }),
      }));
      const { activeSignature = 0, activeParameter = 0 } = help ?? {};
      const lines = signatures.map(
        ({ label, documentation }, index) =>
          `${index === activeSignature ? `${label}  (parameter ${activeParameter + 1} stands there)` : label}${documentation ? `\n  ${documentation}` : ''}`,
      );
      return {
        text: lines.join('\n') || 'No call is known at that place: name one between its parentheses.',
        data: { signatures, activeSignature, activeParameter },
      };
    },
  });
}

function markdown(content: vscode.MarkdownString | vscode.MarkedString): string {
  if (typeof content === 'string') {
    return content;
  }
  return 'language' in content ? `\`\`\`${content.language}\n${content.value}\n\`\`\`` : content.value;
}
