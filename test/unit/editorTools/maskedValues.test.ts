import assert from 'node:assert/strict';
import { masked, maskedCode } from '../../../src/editorTools/maskedValues.ts';

describe('what a language server has worked out', () => {
  const texts = ["const own = key;\nconst mode = 'dark';\nconst one = 12;"];

  it('has no value that none of the files has which may be told', () => {
    const show = (code: string) => masked(code, { texts, names: false });
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

  it('has no name of a member, where files are imported that may not be told', () => {
    const code = 'const own: { mode: string; secret?: number; method(dark: string): void }';
    assert.equal(masked(code, { texts, names: false }), code);
    assert.equal(
      masked(code, { texts, names: true }),
      'const own: { mode: string; …?: number; …(dark: string): void }',
    );
  });

  it('is masked in the code of Markdown alone', () => {
    const masks = { texts, names: false };
    assert.equal(
      maskedCode('```typescript\nconst own: "abc"\n```\nIs "abc".', masks),
      '```typescript\nconst own: "…"\n```\nIs "abc".',
    );
    assert.equal(maskedCode('```ts\nconst own: "abc"', masks), '```ts\nconst own: "…"');
  });
});
