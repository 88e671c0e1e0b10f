import { hash } from 'node:crypto';
import { onTestFinished } from 'vitest';

import { createSandbox } from '../../sandbox/index.ts';
import { type Env, type GraphqlAnswer, postBody, startGateway } from '../support/gateway.ts';
import { SAMPLES } from '../support/samples.ts';

type Headers = Readonly<Record<string, string>>;

/** An answer with the cookies that it sets. */
export interface Answer extends GraphqlAnswer {
  readonly cookies: readonly string[];
  readonly headers: globalThis.Headers;
}

/** Asks a gateway with headers of the test's own. */
export async function executeAs(
  url: string,
  query: string,
  headers: Headers = {},
  variables?: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const response = await postBody(url, { query, variables }, headers);
  const answer = (await response.json()) as object;
  return {
    status: response.status,
    headers: response.headers,
    cookies: response.headers.getSetCookie(),
    ...answer,
  };
}

/** Starts a sandbox that ends with the test; `calls` grows by user and operation. */
export async function startPlatform(options: { readonly now?: () => number } = {}) {
  const calls: string[] = [];
  const sandbox = createSandbox({
    file: ':memory:',
    definitions: SAMPLES,
    ...options,
    onAnswer: ({ operation, user, status }) =>
      calls.push(`${user ?? 'nobody'} ${operation} ${status}`),
  });
  onTestFinished(sandbox.close);
  return { url: await sandbox.listen({ port: 0, host: '127.0.0.1' }), calls };
}

/** Starts a gateway that ends with the test. */
export async function startWith(env: Env = {}): Promise<string> {
  return (await startGateway(env)).url;
}

/** Starts a sandbox and a gateway that calls it as its own user; both end with the test. */
export async function startService(env: Env = {}) {
  const { url: UPSTREAM_URL, calls } = await startPlatform();
  return { url: await startWith({ UPSTREAM_URL, ...OWN, ...env }), calls };
}

export const OWN = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };

/** Starts a sandbox and a gateway whose callers sign in; both end with the test. */
export async function startForUsers(env: Env = {}) {
  const { url: UPSTREAM_URL, calls } = await startPlatform();
  const url = await startWith({ UPSTREAM_URL, IDENTITY: 'user', ...env });
  return { url, UPSTREAM_URL, calls, signedIn: (name: string) => signInAs(url, name) };
}

/** Signs a user in, and gives the header of the session. */
export async function signInAs(url: string, name: string) {
  const { data } = await executeAs(url, signIn(name));
  return { authorization: `Bearer ${data.signIn.sessionToken}` };
}

/** Settings that let callers in by API keys which are their names. */
export const callerKeys = (...names: readonly string[]) => ({
  CALLER_AUTH: 'key',
  CALLER_KEYS: names.map((name) => `${name}:${hash('sha256', name)}`).join(),
});

export const signIn = (username: string, password = username) =>
  `mutation { signIn(input: { username: "${username}", password: "${password}" }) { viewer { name since until } sessionToken expiresAt } }`;

export const VIEWER = '{ viewer { name since until } }';
export const READ = '{ form(formId: "supplier") { name } }';

/** Signs a user in at the platform, and returns the `Authorization` header. */
export async function platformToken(platformUrl: string, name: string): Promise<string> {
  const headers = { authorization: `Basic ${btoa(`${name}:${name}`)}` };
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const response = await fetch(`${platformUrl}/v1.0/token`, { method: 'POST', headers, body });
  return `Bearer ${((await response.json()) as { access_token: string }).access_token}`;
}
