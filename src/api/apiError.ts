import * as z from 'zod/mini';
import type { IdeBridgeError } from '../../api/ideBridge.d.ts';

/** What other extensions are told of their mistakes, and of what does not work now. */
export class ApiError extends Error implements IdeBridgeError {
  override readonly name = 'IdeBridgeError';

  constructor(
    readonly code: IdeBridgeError['code'],
    message: string,
  ) {
    super(message);
  }
}

/** @param what was to be passed, as at the begin of a sentence @throws ApiError `InvalidArgument` */
export function checked<T>(what: string, schema: z.ZodMiniType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw new ApiError('InvalidArgument', `${what}: ${z.prettifyError(parsed.error)}`);
  }
  return parsed.data;
}
