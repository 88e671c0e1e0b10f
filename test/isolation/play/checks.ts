import { isDeepStrictEqual } from 'node:util';

import { PASSWORD_WORD, type Person, stampsIn, TOKEN_WORD } from '../platform/people.ts';
import type { Session } from './caller.ts';
import type { Answer } from './client.ts';
import type { ExpectedRequest } from './expected-request.ts';

/**
 * Returns the problems of any response: another caller's data, secrets, or headers that make it
 * publicly cacheable.
 */
export function checkAnyAnswer(
  { headers, text }: Answer,
  person: Person,
  paths: readonly string[],
): string[] {
  const all = `${text}\n${JSON.stringify(headers)}`;
  const foreign = stampsIn(all).filter(({ code }) => code !== person.code);
  const misplaced = stampsIn(all).filter(
    ({ path }) => !paths.includes(path) && !isListed(path, paths),
  );
  const cookies = [headers['set-cookie'] ?? []].flat();
  return [
    ...foreign.map(({ code, path }) => `${person.name} is shown what ${code} may see at ${path}`),
    ...misplaced.map(({ path }) => `${person.name} got ${path}, and requested ${paths.join(' ')}`),
    ...[TOKEN_WORD, PASSWORD_WORD]
      .filter((word) => all.includes(word))
      .map((word) => `an answer holds a ${word}`),
    ...cookies
      .filter((cookie) => !cookie.startsWith('__Host-caseway='))
      .map((cookie) => `an answer sets ${cookie}`),
    ...(/\bno-store\b/.test(String(headers['cache-control'])) ? [] : ['an answer may be kept']),
    ...(/authorization.*cookie/i.test(String(headers['vary']))
      ? []
      : ['an answer does not say whom it varies by']),
  ];
}

/** Whether a list contains only resources of these paths. */
const isListed = (path: string, paths: readonly string[]) =>
  paths.some(
    (asked) => path.startsWith(`${asked}/`) && !path.slice(asked.length + 1).includes('/'),
  );

/** Returns the problems of a response, given what this session may see. */
export function checkAnswer(
  answer: Answer,
  expected: ExpectedRequest,
  session: Session | undefined,
): string[] {
  const isSignedIn = session?.state === 'live';
  if (session?.isChanging) return [];
  if (isSignedIn) return checkLive(answer, expected);
  if (expected.isLocal)
    return session?.state === 'revoked' || isNothing(answer) ? [] : wrong(answer, 'nothing');
  if (session?.state === 'revoked' && expected.isRemembered && isRemembering(answer, expected))
    return [];
  const codes = codesOf(answer);
  const isRefused =
    isNothing(answer) && codes.length > 0 && codes.every((code) => code === 'UNAUTHENTICATED');
  return isRefused ? [] : wrong(answer, 'UNAUTHENTICATED');
}

function checkLive(answer: Answer, { data, codes }: ExpectedRequest): string[] {
  const got = codesOf(answer);
  const isSaid =
    codes === 'any refusal' ? got.every(isRefusal) : isDeepStrictEqual(got, codes ? [codes] : []);
  return isSaid && isDeepStrictEqual(answer.body.data, data)
    ? []
    : wrong(answer, JSON.stringify({ data, codes }));
}

/** Whether a response contains only what this session may see, with refusals for the rest. */
function isRemembering(answer: Answer, expected: ExpectedRequest): boolean {
  if (checkLive(answer, expected).length === 0) return true;
  const fields = Object.entries(expected.data as Readonly<Record<string, unknown>>);
  const isPart = fields.every(([name, value]) => isPartOf(answer.body.data?.[name], value));
  return isPart && codesOf(answer).every((code) => code === 'UNAUTHENTICATED' || isRefusal(code));
}

/** Whether a value equals another one, except for parts that are `null`. */
function isPartOf(got: unknown, whole: unknown): boolean {
  if (got === null || isDeepStrictEqual(got, whole)) return true;
  if (typeof got !== 'object' || typeof whole !== 'object' || whole === null) return false;
  return Object.entries(whole).every(([name, value]) => isPartOf(Reflect.get(got, name), value));
}

/**
 * The platform refuses a resource: `null` for a missing one, an error for a missing one in a list.
 */
const isRefusal = (code: unknown): boolean => code === 'FORBIDDEN' || code === 'NOT_FOUND';

const codesOf = ({ body }: Answer) => (body.errors ?? []).map(({ extensions }) => extensions?.code);

const isNothing = ({ body }: Answer) =>
  Object.values(body.data ?? {}).every((value) => value === null);

const wrong = ({ status, text }: Answer, expected: string) => [
  `expected ${expected}, got ${status} ${text}`,
];
