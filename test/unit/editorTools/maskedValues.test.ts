import assert from 'node:assert/strict';
import { masked, maskedCode } from '../../../src/editorTools/maskedValues.ts';

describe('what a language server has worked out', () => {
  const texts = ["const own = key;\nconst mode = 'dark';\nconst one = 12;"];

  it('has no value that none of the files has which may be told', () => {
    const show = (code: string) => masked(code, [...texts, 'own: Map<string, Uint8Array> | x2: Literal']);
    assert.equal(show('const own: "sk-abc"'), 'const own: "…"');
    assert.equal(show('const own: readonly ["sk-abc", 4711]'), 'const own: readonly ["…", …]');
    assert.equal(show('const own: `sk-${string}` | -9'), 'const own: `…` | …');
    assert.equal(show("(variable) own: Literal['a$&b']"), "(variable) own: Literal['…']");
    assert.equal(show('const own: "a\\"b"'), 'const own: "…"');
    assert.equal(show('const mode: "dark" | ""'), 'const mode: "dark" | ""');
    assert.equal(
      show('const one: 12, x2: Map<string, Uint8Array>'),
      'const one: 12, x2: Map<string, Uint8Array>',
    );
  });

  it('has no name of a member that none of them has', () => {
    assert.equal(
      masked('const own: { mode: string; secret?: number; method(dark: string): void }', texts),
      'const own: { mode: string; …?: number; …(dark: string): void }',
    );
  });

  it('is as it is where all may be told', () => {
    assert.equal(masked('const own: "sk-abc"', undefined), 'const own: "sk-abc"');
  });

  it('is masked in the code of Markdown alone', () => {
    assert.equal(
      maskedCode('```typescript\nconst own: "abc"\n```\nIs "abc".', texts),
      '```typescript\nconst own: "…"\n```\nIs "abc".',
    );
    assert.equal(maskedCode('```ts\nconst own: "abc"', texts), '```ts\nconst own: "…"');
  });
});
