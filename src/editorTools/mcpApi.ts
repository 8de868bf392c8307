import * as vscode from 'vscode';

/** What VS Code 1.101 and newer have, and the types of our floor do not. */
export interface HttpServerDefinition {
  readonly label: string;
  uri: vscode.Uri;
  headers: Record<string, string>;
  version?: string;
}

type McpApi = typeof vscode & {
  readonly lm: {
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: {
        onDidChangeMcpServerDefinitions: vscode.Event<void>;
        provideMcpServerDefinitions(): Promise<HttpServerDefinition[]>;
        resolveMcpServerDefinition(definition: HttpServerDefinition): Promise<HttpServerDefinition>;
      },
    ): vscode.Disposable;
  };
  readonly McpHttpServerDefinition?: new (
    label: string,
    uri: vscode.Uri,
    headers: Record<string, string>,
    version: string,
  ) => HttpServerDefinition;
};

export const mcpApi = vscode as McpApi;
