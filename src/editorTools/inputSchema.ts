import { runInNewContext } from 'node:vm';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { printable } from '../base/printable.ts';

/** In UTF-16 units, as JSON: every model that is offered the tool reads it. */
const maxSchema = 50_000;

/** ms that the check of one input may take. */
const maxCheck = 500;

/** What another extension says of the input of its tool, and the check of it. */
export class InputSchema {
  private readonly validate: ValidateFunction;

  private constructor(readonly json: Readonly<Record<string, unknown>>) {
    // Formats are remarks, as in MCP; what it does not know it passes over.
    const options = { strict: false, validateFormats: false, logger: false } as const;
    const isOlder = typeof json.$schema === 'string' && json.$schema.includes('draft-07');
    this.validate = (isOlder ? new Ajv(options) : new Ajv2020(options)).compile(json);
  }

  /** @throws Error in words for its author */
  static of(given: unknown): InputSchema {
    return new InputSchema(jsonOf(given));
  }

  /** What is wrong with an input, in words; undefined if nothing is. */
  problem(input: unknown): string | undefined {
    try {
      if (this.fits(input)) {
        return undefined;
      }
    } catch {
      return `arguments cannot be checked within ${maxCheck} ms by the schema of this tool: pass shorter ones`;
    }
    const [error] = this.validate.errors ?? [];
    const { allowedValues, additionalProperty } = (error?.params ?? {}) as {
      allowedValues?: unknown[];
      additionalProperty?: string;
    };
    const which = allowedValues?.map((value) => JSON.stringify(value)).join(', ') ?? additionalProperty;
    return printable(
      `arguments${error?.instancePath ?? ''} ${error?.message ?? 'are wrong'}${which === undefined ? '' : `: ${which}`}`,
      500,
    );
  }

  /**
   * A pattern of a stranger's, or items that are all to be different, can take for ever with what a model passes, and all
   * extensions of the window would stand still. Only what a context of its own runs can be ended.
   * @throws Error when it takes too long, or goes too deep
   */
  private fits(input: unknown): boolean {
    const check = () => this.validate(input);
    return runInNewContext('check()', { check }, { timeout: maxCheck }) as boolean;
  }
}

/** A copy, so that it stays what was checked. @throws Error in words for its author */
function jsonOf(given: unknown): Record<string, unknown> {
  const text = JSON.stringify(fromStandard(given)) as string | undefined;
  if (text === undefined || text.length > maxSchema) {
    throw new Error(
      text === undefined
        ? 'expected a JSON schema'
        : `has ${text.length} characters as JSON; at most ${maxSchema} are allowed`,
    );
  }
  const json = JSON.parse(text) as unknown;
  if (typeof json !== 'object' || json === null || !('type' in json) || json.type !== 'object') {
    throw new Error('expected a JSON schema of an object: { "type": "object", … }');
  }
  if ('$async' in json) {
    throw new Error('a schema that is $async is not supported');
  }
  return { ...json };
}

/** A schema of zod and of other libraries, which say what it is as JSON; see https://standardschema.dev/json-schema. */
function fromStandard(given: unknown): unknown {
  const { '~standard': standard } = (given ?? {}) as {
    '~standard'?: { jsonSchema?: { input(options: { target: string }): unknown } };
  };
  return standard?.jsonSchema ? standard.jsonSchema.input({ target: 'draft-2020-12' }) : given;
}
