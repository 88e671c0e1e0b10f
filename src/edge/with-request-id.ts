/**
 * Puts the request's id beside each error of an answer that has none yet: the graph does it for what it executes, and what
 * it refuses before that comes without.
 */
export function withRequestId(text: string, requestId: string): string {
  const answer = JSON.parse(text) as { readonly errors?: readonly GraphqlError[] };
  if (answer.errors === undefined) return text;
  const errors = answer.errors.map((error) => ({ ...error, extensions: { requestId, ...error.extensions } }));
  return JSON.stringify({ ...answer, errors });
}

interface GraphqlError {
  readonly extensions?: Readonly<Record<string, unknown>>;
}
