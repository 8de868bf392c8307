import { readFileSync } from 'node:fs';

interface Property {
  type: string;
  enum?: unknown[];
  default: unknown;
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: { configuration: { properties: Record<string, Property> } };
};
const properties = Object.entries(contributes.configuration.properties);

/**
 * What a workspace would set: each setting of the extension other than it is by default, and together in as many ways
 * as the one with the most values needs; once more with sharing on, without which others have no effect.
 * @param program where a setting is a text, which it may be taken for
 */
export function hostileSettings(program: string): Record<string, unknown>[] {
  const values = properties.map(([name, property]) => [name, othersThan(property, program)] as const);
  const ways = Math.max(...values.map(([, others]) => others.length));
  const flipped = Array.from({ length: ways }, (_, way) =>
    Object.fromEntries(values.map(([name, others]) => [name, others[way % others.length]])),
  );
  return flipped.flatMap((settings) => [settings, { ...settings, 'ideBridge.share.enabled': true }]);
}

function othersThan({ type, default: usual, enum: values }: Property, program: string): unknown[] {
  if (values) {
    return values.filter((value) => value !== usual);
  }
  switch (type) {
    case 'boolean':
      return [!usual];
    case 'number':
      return [0];
    case 'array':
      return [[program]];
    case 'object':
      return [{ PATH: '.', NODE_OPTIONS: `--require ${program}` }];
    default:
      return [program];
  }
}
