import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

import { listen } from '../../support/listen.ts';
import { createAccounts } from './accounts.ts';
import { type Answer, answerTo, type Request, refuse } from './answers.ts';
import { createDelays } from './delays.ts';
import { createLedger } from './ledger.ts';
import type { Person } from './people.ts';
import { readCredentials, type Variant, writeToken } from './sign-in.ts';

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

interface Reply {
  readonly answer: Answer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The minimum time of a response, so that requests of the same moment overlap. */
const LATENCY_MS = 2;

/**
 * Starts a platform that stamps each response with its caller, and records all calls. It ends with
 * the test.
 */
export async function startPlatform(variant: Variant) {
  const accounts = createAccounts();
  const ledger = createLedger();
  const delays = createDelays();
  const scheme = variant === 'A' ? '' : 'Bearer ';

  const signIn = async (request: Request, headers: IncomingHttpHeaders): Promise<Reply> => {
    const { person, isBrief } = readCredentials(variant, request, headers, accounts);
    ledger.write({ ...request, person, isSignIn: true, isConditional: false });
    if (person === undefined) return { answer: refuse(variant === 'A' ? 401 : 400, undefined, '') };
    await delays.pass(person);
    return writeToken(variant, accounts.issue(person), isBrief);
  };
  const changes = new Map<string, number>();
  const serve = async (
    received: Request,
    { authorization = '' }: IncomingHttpHeaders,
  ): Promise<Reply> => {
    const holder = accounts.holderOf(authorization.slice(scheme.length));
    const { method, path, sinceMs } = received;
    const isConditional = !Number.isNaN(sinceMs);
    const form = path.split('/')[3] ?? '';
    if (method !== 'GET') changes.set(form, (changes.get(form) ?? 0) + 1);
    const request = { ...received, changes: changes.get(form) ?? 0 };
    ledger.write({
      person: holder?.person,
      isSignIn: false,
      method,
      path,
      isConditional,
      mark: markIn(request),
    });
    if (holder === undefined || !holder.isTaken)
      return { answer: refuse(401, holder?.person, request.path) };
    await delays.pass(holder.person);
    return unchanged(request, answerTo(request, holder.person, accounts));
  };

  const server = createServer(async (message, response) => {
    // A killed process may have sent only a part of it.
    const request = await toRequest(message).catch(() => undefined);
    if (request === undefined) return;
    const reply = await (request.path === '/v1.0/token' ? signIn : serve)(request, message.headers);
    setTimeout(() => send(response, reply), LATENCY_MS);
  });
  /** Returns the whole `Authorization` header of a new token. */
  const issueToken = (person: Person) => `${scheme}${accounts.issue(person)}`;
  return { url: await listen(server), accounts, ledger, delays, issueToken };
}

/**
 * Returns 304 if nothing has changed for this caller. Each write to a form changes its content, and
 * each person has content of their own.
 */
function unchanged({ method, path, sinceMs, changes }: Request, answer: Answer): Reply {
  const isRead = method === 'GET' || path.endsWith('/get-parameters');
  if (!isRead || answer.status !== 200) return { answer };
  const changedAtMs = changes * 1_000;
  const headers = { 'last-modified': new Date(changedAtMs).toUTCString() };
  return { answer: sinceMs >= changedAtMs ? { status: 304 } : answer, headers };
}

async function toRequest(message: IncomingMessage): Promise<Request> {
  const [path = '', query] = (message.url ?? '').split('?');
  return {
    method: message.method ?? '',
    path,
    query: new URLSearchParams(query),
    body: await text(message),
    sinceMs: Date.parse(message.headers['if-modified-since'] ?? ''),
    changes: 0,
  };
}

function send(response: ServerResponse, { answer: { status, body }, headers }: Reply): void {
  response.writeHead(status, {
    ...headers,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    'set-cookie': 'platform=cnry!0;cookie;',
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

/**
 * Returns the caller's mark in the request itself: in the search of a list, or in the values of a
 * change.
 */
const markIn = ({ body, query }: Request) => /whose-\w+-\d+/.exec(`${body} ${query}`)?.[0];
