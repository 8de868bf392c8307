import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import type { Documents } from './documents.ts';
import { path } from './paths.ts';
import { defineTool, json, type Tool } from './tool.ts';

export function saveDocument(documents: Documents): Tool {
  return defineTool({
    name: 'saveDocument',
    description: 'Save a document with unsaved changes',
    input: z.object({ filePath: path.check(z.describe('Path to the file to save')) }),
    async run({ filePath: asked }) {
      const document = documents.find(asked);
      if (!document) {
        return json({ success: false, message: `Document not open: ${asked}` });
      }
      const { filePath } = document;
      try {
        const saved = await document.save();
        const message = saved ? 'Document saved successfully' : 'The editor did not save the document';
        return json({ success: saved, filePath, saved, message });
      } catch (error) {
        return json({ success: false, filePath, saved: false, message: errorMessage(error) });
      }
    },
  });
}
