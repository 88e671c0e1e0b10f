import type { GraphQLError, GraphQLFormattedError } from 'graphql';

import type { OperationContext } from '../context.ts';
import type { ExecutionResult } from '../executor/index.ts';
import { formatError } from '../format-error.ts';
import { withStale } from '../stale.ts';

/** Words an error for the client as the server would. */
export function wordError(error: GraphQLError, requestId: string): GraphQLFormattedError {
  const code = error.extensions['code'] ?? 'INTERNAL_SERVER_ERROR';
  const formatted = formatError({ ...error.toJSON(), extensions: { ...error.extensions, code } }, error);
  return { ...formatted, extensions: { ...formatted.extensions, requestId } };
}

/** Writes an answer as the server would, byte by byte: errors first, where there are any. */
export function writeAnswer(
  data: NonNullable<ExecutionResult['data']>,
  errors: readonly GraphQLFormattedError[] | undefined,
  { meter }: OperationContext,
): string {
  const { extensions } = withStale<{ extensions?: Record<string, unknown> }>({}, meter);
  const before = errors === undefined ? '' : `"errors":${JSON.stringify(errors)},`;
  const after = extensions === undefined ? '' : `,"extensions":${JSON.stringify(extensions)}`;
  return `{${before}"data":${data}${after}}\n`;
}
