import type * as vscode from 'vscode';

/** What was registered, created or listened to and not disposed yet, by the name of the function that gave it. */
export class Held {
  private readonly counts = new Map<string, number>();

  add(name: string): vscode.Disposable {
    const change = (by: number) => this.counts.set(name, (this.counts.get(name) ?? 0) + by);
    change(1);
    let isHeld = true;
    return {
      dispose: () => {
        if (isHeld) change(-1);
        isHeld = false;
      },
    };
  }

  get list(): string[] {
    return [...this.counts].filter(([, count]) => count !== 0).map(([name, count]) => `${count} × ${name}`);
  }
}

type Some = Record<string | symbol, unknown>;

/** The API of VS Code that notes in `held` every disposable that it hands out, save terminals: the user's they are. */
export function countingApi(api: object, held: Held): object {
  return Object.fromEntries(
    Object.entries(api).map(([key, value]: [string, unknown]) => [
      key,
      isNamespace(key, value) ? namespace(key, value, held) : value,
    ]),
  );
}

function namespace(name: string, real: Some, held: Held): object {
  return forward(real, (key, value) => {
    if (isNamespace(key, value) && key === 'tabGroups') return namespace(`${name}.${key}`, value, held);
    if (typeof value !== 'function' || key === 'createTerminal') return value;
    return (...args: unknown[]) => {
      const result: unknown = Reflect.apply(value, real, args);
      return isDisposable(result) ? watched(result, held.add(`${name}.${String(key)}`)) : result;
    };
  });
}

function watched(real: Some & vscode.Disposable, note: vscode.Disposable): object {
  return forward(real, (key, value) => {
    if (typeof value !== 'function') return value;
    return (...args: unknown[]) => {
      if (key === 'dispose') note.dispose();
      return Reflect.apply(value, real, args) as unknown;
    };
  });
}

/** Not a proxy of `real` itself: those of frozen objects may change nothing. */
function forward(real: Some, replace: (key: string | symbol, value: unknown) => unknown): object {
  return new Proxy(
    {},
    {
      get: (_, key) => replace(key, Reflect.get(real, key)),
      set: (_, key, value) => Reflect.set(real, key, value),
      has: (_, key) => Reflect.has(real, key),
    },
  );
}

/** `workspace`, not `Uri` nor `ViewColumn`. */
function isNamespace(key: string | symbol, value: unknown): value is Some {
  return typeof key === 'string' && /^[a-z]/.test(key) && typeof value === 'object' && value !== null;
}

function isDisposable(value: unknown): value is Some & vscode.Disposable {
  return (
    typeof value === 'object' && value !== null && 'dispose' in value && typeof value.dispose === 'function'
  );
}
