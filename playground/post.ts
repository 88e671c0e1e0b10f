/** One GraphQL request, as the explorer words it. */
export interface Asked {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** One GraphQL answer. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

/** What one operation is sent with, beside its text. */
export interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const ENDPOINT = new URL('graphql', document.baseURI);

/**
 * Asks the gateway that serves this page.
 *
 * @throws {Error} when there is no answer, or no GraphQL answer, as when a proxy answers in the gateway's place.
 */
export async function post(asked: Asked, { headers, signal }: Sending): Promise<Answer> {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: {
      // Shows the gateway that a script of its own page asks, and not a form of somebody else's.
      'x-csrf': '1',
      accept: 'application/graphql-response+json, application/json;q=0.9',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(asked),
    signal,
  }).catch((reason: unknown) => {
    throw new Error(`The gateway cannot be reached at ${ENDPOINT}.`, { cause: reason });
  });
  const text = await response.text();
  const answer = parsed(text);
  if (answer === undefined) throw new Error(`HTTP ${response.status}, and no GraphQL answer: ${text.slice(0, 200)}`);
  return answer;
}

function parsed(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isAnswer(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && ('data' in value || 'errors' in value);
}
