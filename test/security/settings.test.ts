import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const manifest = z
  .object({
    capabilities: z.object({
      untrustedWorkspaces: z.object({
        supported: z.literal('limited'),
        restrictedConfigurations: z.array(z.string()),
      }),
    }),
    contributes: z.object({
      configuration: z.object({ properties: z.record(z.string(), z.object({ scope: z.string() })) }),
    }),
  })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

// CVE-2025-59536: a repository brought settings that ran code.
describe('the settings of a workspace', () => {
  const { properties } = manifest.contributes.configuration;
  const dangerous = Object.keys(properties).filter((name) =>
    /(command|path|program|executable|shell|env|environment|arg|args|arguments)$/i.test(name),
  );

  it('include none that names a program, its arguments or its environment', () => {
    assert.ok(dangerous.includes('ideBridge.command'));
    for (const name of dangerous) {
      assert.match(properties[name]?.scope ?? '', /^(machine|application)$/, name);
    }
  });

  it('of that kind are ignored before the workspace is trusted', () => {
    for (const name of dangerous) {
      assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name), name);
    }
  });
});
