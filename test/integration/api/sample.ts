import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Tool } from '../../../api/ideBridge.d.ts';
import type { Sample } from '../../fixtures/sample/extension.ts';

export const sampleId = 'ide-bridge-test.sample';

/** The extension that uses the API. */
export async function activateSample(): Promise<Sample> {
  const found = await vscode.extensions.getExtension<Sample>(sampleId)?.activate();
  assert.ok(found);
  return found;
}

/** That asks for nothing. */
export const plainTool = {
  name: 'plain',
  title: 'Plain',
  description: 'Says yes',
  group: 'reading',
  inputSchema: { type: 'object' },
  handler: () => 'yes',
} satisfies Tool;
