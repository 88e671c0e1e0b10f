import type { ScriptedAnswer } from '../scripted-platform.ts';

/** One call as it came, in the order of arrival. */
export interface Call {
  readonly method: string;
  /** With its query, as it was written. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export type Reply = ScriptedAnswer;

/** A call that the platform does not do; it answers with `message` and `errorCode`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly errorCode: string;

  constructor(status: number, errorCode: string, message: string) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
  }
}

export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json;charset=UTF-8', ...headers },
  body: value,
});

/** Parses a call's body, which must be JSON. */
export function parseBody({ body }: Call): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'BODY_UNREADABLE', 'The body is no JSON.');
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Gives a refusal's answer; anything else is the platform's own fault. */
export function toReply(error: unknown): Reply {
  if (!(error instanceof Refusal)) return json(500, { message: String(error), errorCode: 'INTERNAL' });
  return json(error.status, { message: error.message, errorCode: error.errorCode });
}
