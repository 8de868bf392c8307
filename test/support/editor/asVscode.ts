import Module from 'node:module';
import type { Host } from './host.ts';
import * as types from './types.ts';

let current: Host | undefined;

/** The extension host in which the code under test runs from now on. */
export function runIn(host: Host): void {
  current = host;
}

function host(): Host {
  if (!current) {
    throw new Error('There is no extension host.');
  }
  return current;
}

const api = {
  ...types,
  get workspace() {
    return host().workspace;
  },
  get window() {
    return host().windowApi;
  },
  commands: {
    executeCommand: (name: string, ...args: unknown[]) => host().executeCommand(name, ...args),
  },
};

/** What is loaded from now on finds the simulated editor where VS Code would give it its own. */
const load: unknown = Reflect.get(Module, '_load');
Reflect.set(Module, '_load', (request: string, ...rest: unknown[]): unknown =>
  request === 'vscode'
    ? api
    : typeof load === 'function' && (Reflect.apply(load, Module, [request, ...rest]) as unknown),
);
