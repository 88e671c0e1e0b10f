import type { ResponseError } from './errors.ts';

/** A GraphQL response as the gateway sends it. */
export interface GraphqlResponse {
  readonly data?: unknown;
  readonly errors?: readonly ResponseError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The gateway's errors, or a response that is no GraphQL. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** The HTTP status. */
  readonly status: number;
  /** Empty if the response is no GraphQL, such as the page of a proxy. */
  readonly errors: readonly ResponseError[];
  /** The fields that did not fail. */
  readonly data: unknown;

  constructor(status: number, { data, errors = [] }: GraphqlResponse) {
    super(errors[0]?.message ?? `The response with status ${status} is no GraphQL.`);
    this.status = status;
    this.errors = errors;
    this.data = data;
  }
}

/**
 * Returns the data of a response.
 *
 * @throws {RequestError} if it has errors, or no data.
 */
export function readData(status: number, text: string): unknown {
  const response = parseResponse(text);
  if (response?.data == null || response.errors?.length) {
    throw new RequestError(status, response ?? {});
  }
  return response.data;
}

/** Parses a response. Returns `undefined` if it is not a JSON object. */
export function parseResponse(text: string): GraphqlResponse | undefined {
  try {
    const response = JSON.parse(text);
    return typeof response === 'object' && response !== null ? response : undefined;
  } catch {
    return undefined;
  }
}
