import type { Dialect } from '../dialect.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { WholeAnswer } from '../reception.ts';
import { parseBody } from './error.ts';
import { pickText } from './members.ts';

/** Whether an answer is a page for people: most likely one to sign in by, where a session has ended. */
export function isPage({ status, headers, text }: WholeAnswer): boolean {
  if (status < 200 || status > 299) return false;
  return /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*<(!doctype html|html)\b/i.test(text);
}

/** Whether an answer says that it is JSON, or does not say what it is. */
export function isJsonTyped({ headers }: WholeAnswer): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === undefined || type === '' || /^(application|text)\/([\w.-]+\+)?json$/.test(type);
}

/** An error body is no longer than this. */
const ENVELOPE_MAX_LENGTH = 16_384;
/** Members that error bodies have besides their code and message. */
const COMPANIONS: readonly string[] = ['status', 'statusCode', 'httpStatus', 'timestamp', 'path', 'error', 'details'];
const STATUSES = ['status', 'statusCode', 'httpStatus'] as const;

/**
 * Gives the answer with the status that it stands for: some platforms send an error's body with 200. Anything but a
 * bare error body, which has a code and nothing that a resource would have, is taken as it comes.
 */
export function standFor(answer: WholeAnswer, dialect: Dialect): WholeAnswer {
  const { status, text } = answer;
  const { code, message } = dialect.error;
  if (status !== 200 || text.length > ENVELOPE_MAX_LENGTH || !code.some((name) => text.includes(name))) return answer;
  const body = parseBody(text);
  if (!isJsonObject(body) || pickText(body, code) === undefined) return answer;
  const known = new Set([...code, ...message, ...COMPANIONS]);
  return Object.keys(body).every((name) => known.has(name)) ? { ...answer, status: statusOf(body, dialect) } : answer;
}

// Where the body does not say, a failed platform is the guess that promises least.
function statusOf(body: JsonObject, { error }: Dialect): number {
  const code = pickText(body, error.code);
  if (code === 'REQUEST_LIMIT_EXCEEDED') return 403;
  const said: readonly (Json | undefined)[] = [...STATUSES.map((name) => body[name]), code];
  return said.map(Number).find((status) => Number.isInteger(status) && status >= 400 && status <= 599) ?? 500;
}
