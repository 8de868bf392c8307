import * as vscode from 'vscode';
import { type HttpServerDefinition, mcpApi } from './mcpApi.ts';

/** The server as the editor's own chat has it. The editor remembers what it is told: no token yet. */
export function serverDefinitions(port: number | undefined, version: string): HttpServerDefinition[] {
  const { McpHttpServerDefinition } = mcpApi;
  return McpHttpServerDefinition && port !== undefined
    ? [new McpHttpServerDefinition('Editor Tools', urlOf(port), {}, version)]
    : [];
}

/** As the editor starts it. */
export function withToken(
  definition: HttpServerDefinition,
  { port, token }: { port: number; token: string },
): HttpServerDefinition {
  definition.uri = urlOf(port);
  definition.headers = { Authorization: `Bearer ${token}` };
  return definition;
}

function urlOf(port: number): vscode.Uri {
  return vscode.Uri.parse(`http://127.0.0.1:${port}/editor`);
}
