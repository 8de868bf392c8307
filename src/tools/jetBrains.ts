// Tools of the JetBrains plugin's dialect, for clients that know them.
import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import type { FileOpener } from './openFile.ts';
import type { OpenEditors } from './openEditors.ts';
import { path } from './paths.ts';
import { defineTool, json, text, type Tool, toolError } from './tool.ts';

export function openFiles(files: FileOpener): Tool {
  return defineTool({
    name: 'open_files',
    description: 'Open several files in the editor; those that cannot be opened are left out of the answer',
    input: z.object({ file_paths: z.array(path).check(z.maxLength(100), z.describe('Paths of the files')) }),
    async run({ file_paths }) {
      const opened: string[] = [];
      const failed: string[] = [];
      for (const file of file_paths) {
        try {
          opened.push((await files.open({ path: file, ...inFront })).filePath);
        } catch (error) {
          failed.push(errorMessage(error));
        }
      }
      const answer = json({ opened_files: opened });
      return failed.length === 0 ? answer : { content: [...answer.content, ...text(...failed).content] };
    },
  });
}

const inFront = {
  preview: false,
  makeFrontmost: true,
  startText: undefined,
  endText: undefined,
  selectToEndOfLine: false,
};

export function getAllOpenedFilePaths(editors: OpenEditors): Tool {
  return defineTool({
    name: 'get_all_opened_file_paths',
    description: 'Get the paths of all open files, one a line',
    input: z.object({}),
    run: () => {
      const uris = editors.list().map(({ uri }) => uri);
      const paths = uris.filter((uri) => uri.startsWith('file://')).map((uri) => uri.slice('file://'.length));
      return text([...new Set(paths)].join('\n'));
    },
  });
}

export interface Formatter {
  /**
   * Formats a file with the editor's formatter, and saves it if it had no unsaved changes before.
   * @returns whether a formatter had something to change; undefined when there is no such file
   * @throws Error when it cannot be formatted
   */
  format(path: string): Promise<boolean | undefined>;
}

export function reformatFile(formatter: Formatter): Tool {
  return defineTool({
    name: 'reformat_file',
    description: "Format a file with the editor's formatter",
    input: z.object({ file_path: path.check(z.describe('Path of the file')) }),
    async run({ file_path }) {
      const isChanged = await formatter.format(file_path);
      if (isChanged === undefined) {
        return toolError('File not found');
      }
      return isChanged
        ? text('OK')
        : text('OK', 'Nothing was changed: no formatter for it is installed, or it is formatted already.');
    },
  });
}
