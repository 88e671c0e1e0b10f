import type { Dialect } from '../dialect.ts';
import { classify, UpstreamError } from '../errors.ts';
import { isJsonObject, type Json, parseJson } from '../json.ts';
import type { AnswerHeaders, WholeAnswer } from '../reception.ts';
import { pickText } from './members.ts';

/** Gives what an answer that is not 2xx means. */
export function toError(operation: string, { status, headers, text }: WholeAnswer, dialect: Dialect): UpstreamError {
  const body = parseBody(text);
  const said = isJsonObject(body) ? body : {};
  // A limit is worth recognizing even in a page of HTML: asking on would make it worse.
  const limitCode = text.includes('REQUEST_LIMIT_EXCEEDED') ? 'REQUEST_LIMIT_EXCEEDED' : undefined;
  const errorCode = pickText(said, dialect.error.code) ?? limitCode;
  const failure = classify(status, errorCode);
  return new UpstreamError(failure, {
    operation,
    status,
    errorCode: errorCode?.slice(0, 100),
    reason: pickText(said, dialect.error.message)?.slice(0, 1_000),
    retryAfterMs: retryAfterMs(headers) ?? (failure === 'rate-limited' ? dialect.error.retryAfterMs : undefined),
    isFinal: status < 400,
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
const MAX_RETRY_AFTER_MS = 60_000;

// Seconds, or a date, which counts from the server's own clock where that is known.
function retryAfterMs({ 'retry-after': header, date }: AnswerHeaders): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - (Date.parse(date ?? '') || Date.now());
  return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
