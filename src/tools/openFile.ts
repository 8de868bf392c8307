import * as z from 'zod/mini';
import { path } from './paths.ts';
import { defineTool, json, text, type Tool } from './tool.ts';

export interface OpenFileRequest {
  /** As the client wrote it. */
  path: string;
  preview: boolean;
  /** Whether it becomes the tab in front, with the focus; else it opens as a tab behind. */
  makeFrontmost: boolean;
  startText: string | undefined;
  endText: string | undefined;
  selectToEndOfLine: boolean;
}

export interface OpenedFile {
  filePath: string;
  /** Absent for what is not text, such as a notebook. */
  document?: { languageId: string; lineCount: number; isDirty: boolean; isUntitled: boolean };
  fileUrl: string;
  /** Which of the texts that were asked for were found; `endText` counts only after `startText`. */
  found: { startText: boolean; endText: boolean };
}

export interface FileOpener {
  /** @throws Error that says why the file cannot be opened */
  open(request: OpenFileRequest): Promise<OpenedFile>;
}

/** The official extension's schema requires both texts, and clients send them empty. */
const optionalText = z.pipe(
  z.nullish(z.string()),
  z.transform((value) => value || undefined),
);

export function openFile(files: FileOpener): Tool {
  return defineTool({
    name: 'openFile',
    description: 'Open a file in the editor and optionally select a range of text',
    input: z.object({
      filePath: path.check(z.describe('Path to the file to open')),
      preview: z._default(z.boolean(), false).check(z.describe('Whether to open it in preview mode')),
      startText: optionalText.check(z.describe('Text at which the selection begins')),
      endText: optionalText.check(z.describe('Text, after startText, with which the selection ends')),
      selectToEndOfLine: z
        ._default(z.boolean(), false)
        .check(z.describe('Whether to extend the selection to the end of its last line')),
      makeFrontmost: z._default(z.boolean(), true).check(z.describe('Whether to make it the active tab')),
    }),
    async run({ filePath, ...options }) {
      const opened = await files.open({ path: filePath, ...options });
      const message = describe(opened, options);
      if (options.makeFrontmost) {
        return text(message);
      }
      const { document, fileUrl } = opened;
      return json({
        success: true,
        filePath: opened.filePath,
        fileUrl,
        message,
        ...document,
        isClosed: false,
      });
    },
  });
}

function describe(
  { filePath, found }: OpenedFile,
  { startText, endText }: { startText: string | undefined; endText: string | undefined },
): string {
  if (startText === undefined) {
    return `Opened file: ${filePath}`;
  }
  if (!found.startText) {
    return `Opened file, but text "${startText}" not found`;
  }
  if (endText === undefined) {
    return `Opened file and selected text "${startText}"`;
  }
  return found.endText
    ? `Opened file and selected text from "${startText}" to "${endText}"`
    : `Opened file and selected text "${startText}", but text "${endText}" not found after it`;
}
