import * as z from 'zod/mini';
import type { Documents } from './documents.ts';
import { path } from './paths.ts';
import { defineTool, json, type Tool } from './tool.ts';

export function checkDocumentDirty(documents: Documents): Tool {
  return defineTool({
    name: 'checkDocumentDirty',
    description: 'Check if a document has unsaved changes (is dirty)',
    input: z.object({ filePath: path.check(z.describe('Path to the file to check')) }),
    run({ filePath }) {
      const document = documents.find(filePath);
      if (!document) {
        return json({ success: false, message: `Document not open: ${filePath}` });
      }
      const { isDirty, isUntitled } = document;
      return json({ success: true, filePath: document.filePath, isDirty, isUntitled });
    },
  });
}
