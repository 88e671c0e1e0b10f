import type { Dialect } from '../dialect.ts';
import { classify, UpstreamError } from '../errors.ts';
import { isJsonObject, type Json, parseJson } from '../json.ts';
import type { WholeAnswer } from '../reception.ts';
import { pickText } from './members.ts';

/** Gives what an answer that is not 2xx means. */
export function toError(operation: string, { status, headers, text }: WholeAnswer, dialect: Dialect): UpstreamError {
  const body = parseBody(text);
  const said = isJsonObject(body) ? body : {};
  // A limit is worth recognizing even in a page of HTML: asking on would make it worse.
  const limitCode = text.includes('REQUEST_LIMIT_EXCEEDED') ? 'REQUEST_LIMIT_EXCEEDED' : undefined;
  const errorCode = pickText(said, dialect.error.code) ?? limitCode;
  return new UpstreamError(classify(status, errorCode), {
    operation,
    status,
    errorCode: errorCode?.slice(0, 100),
    reason: pickText(said, dialect.error.message)?.slice(0, 1_000),
    retryAfterMs: retryAfterMs(headers['retry-after']) ?? dialect.error.retryAfterMs,
  });
}

/** Parses a body that may be absent. `null` stands for a text that is no JSON, which no reader takes. */
export function parseBody(text: string): Json | undefined {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** At most this long is passed on, whatever a server asks for. */
const MAX_RETRY_AFTER_SECONDS = 60;

function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d+$/.test(header)) return undefined;
  return Math.min(Number(header), MAX_RETRY_AFTER_SECONDS) * 1_000;
}
