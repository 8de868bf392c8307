import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Deferred } from '../../../src/base/deferred.ts';
import { Emitter } from '../../../src/base/emitter.ts';
import { ChangeGutter } from '../../../src/changes/changeGutter.ts';
import type { Changes } from '../../../src/changes/changes.ts';
import { gitReady } from '../../../src/changes/gitReady.ts';
import { until } from '../../support/until.ts';

describe('marks in the gutter', () => {
  const { createSourceControl } = vscode.scm;
  let made: vscode.SourceControl[];

  beforeEach(() => {
    made = [];
    vscode.scm.createSourceControl = (...args) => {
      const control = createSourceControl(...args);
      made.push(control);
      return control;
    };
  });
  afterEach(() => {
    vscode.scm.createSourceControl = createSourceControl;
  });

  it('wait for Git’s repositories: the first source control has the status bar', async () => {
    const ready = new Deferred<void>();
    const changed = new Emitter<void>();
    const changes = {
      onDidChange: changed.event,
      all: [{ set: { id: 1 }, snapshot: { takenAt: 1, path: '/folder/file.txt' } }],
    } as unknown as Changes;
    const gutter = new ChangeGutter(changes, 'command', ready.promise);
    try {
      changed.fire();
      await new Promise((resolve) => setTimeout(resolve, 300)); // nothing comes of it, which takes 100 ms
      assert.equal(made.length, 0);
      ready.settle();
      await until('the source control', () => made.length === 1);
    } finally {
      gutter.dispose();
    }
  });

  it('do not wait for ever for a Git that never tells', async () => {
    const { getExtension } = vscode.extensions;
    const none = () => new vscode.Disposable(() => {});
    const api = { state: 'uninitialized', onDidChangeState: none };
    const hangs = new Promise<never>(() => {});
    for (const activated of [Promise.resolve({ enabled: true, getAPI: () => api }), hangs]) {
      vscode.extensions.getExtension = () => ({ activate: () => activated }) as never;
      try {
        await gitReady(50);
      } finally {
        vscode.extensions.getExtension = getExtension;
      }
    }
  });

  it('wait for Git until it has looked, and not for one that is switched off', async () => {
    await gitReady();
    const git = vscode.workspace.getConfiguration('git');
    await git.update('enabled', false, vscode.ConfigurationTarget.Global);
    try {
      await gitReady();
    } finally {
      await git.update('enabled', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
