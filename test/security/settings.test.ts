import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { settingNames, settingRules } from '../../src/editor/settingNames.ts';

const setting = z.object({ scope: z.string(), markdownDescription: z.string() });
const manifest = z
  .object({
    capabilities: z.object({
      untrustedWorkspaces: z.object({
        supported: z.literal('limited'),
        restrictedConfigurations: z.array(z.string()),
      }),
    }),
    contributes: z.object({ configuration: z.object({ properties: z.record(z.string(), setting) }) }),
  })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

// CVE-2025-59536: a repository brought settings that ran code.
describe('each setting', () => {
  const { properties } = manifest.contributes.configuration;
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  const full = (name: string) => `ideBridge.${name}`;
  const rules = Object.entries(settingRules);

  it('says what a workspace may do to it', () => {
    assert.deepEqual(Object.keys(properties).sort(), settingNames.map(full).sort());
  });

  for (const [name, rule] of rules) {
    const { scope, markdownDescription } = properties[full(name)] ?? { scope: '', markdownDescription: '' };
    const says = /A workspace ([^.]*)\./.exec(markdownDescription)?.[1];
    switch (rule) {
      case 'user':
        it(`${name} is the user's alone, and says so`, () => {
          assert.match(scope, /^(machine|application)$/);
          assert.match(says ?? '', /^cannot set (it|them)$/);
        });
        break;
      case 'free':
        it(`${name} is free, and nothing that a workspace could gain by`, () => {
          assert.equal(scope, 'window');
          assert.equal(says, undefined);
          assert.doesNotMatch(name, /command|path|program|env|arg|shell|share|confirm|tools/i);
        });
        break;
      default:
        it(`${name} can be tightened by a workspace, not loosened, and says so`, () => {
          assert.equal(scope, 'resource'); // also by each folder of several, of which no other scope takes any
          assert.match(says ?? '', /^can .* not /);
        });
    }
  }

  it('is ignored before the workspace is trusted, save the free ones', () => {
    const guarded = rules.filter(([, rule]) => rule !== 'free').map(([name]) => full(name));
    assert.deepEqual([...restricted].sort(), guarded.sort());
  });
});
