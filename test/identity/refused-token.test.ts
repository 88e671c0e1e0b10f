import { describe, expect, it, vi } from 'vitest';

import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';
import { executeAs, READ, signIn, signInAs, startWith, VIEWER } from './support.ts';

const WELL = { body: { idForm: 'supplier', name: 'Supplier', fields: [] } };
const REFUSAL = { status: 401, body: {} };
const PAGE = {
  body: '<!doctype html><title>Busy</title>',
  headers: { 'content-type': 'text/html' },
};
const BROWSER = { 'sec-fetch-site': 'same-origin', 'x-csrf': '1' };

/** Starts a platform that issues one token to all users, and a gateway in front of it. */
async function startChangeable(IDENTITY: string) {
  let answer: ScriptedAnswer = WELL;
  const { env, seen } = await scriptPlatform(() => answer);
  const url = await startWith({
    UPSTREAM_URL: env.UPSTREAM_URL,
    IDENTITY,
    CACHE_DEFINITIONS_MS: '0',
  });
  const become = (next: ScriptedAnswer) => {
    answer = next;
    seen.length = 0;
  };
  return { url, seen, become };
}

describe.each(['user', 'forward'])("a caller's token, IDENTITY=%s", (identity) => {
  async function start() {
    const gateway = await startChangeable(identity);
    const headers =
      identity === 'user' ? await signInAs(gateway.url, 'ann') : { authorization: 'Bearer token' };
    const read = async () => {
      const { data, errors } = await executeAs(gateway.url, READ, headers);
      return errors?.[0]?.extensions['code'] ?? data.form.name;
    };
    return { ...gateway, read };
  }

  it('is tried again two seconds after the platform refused it', async () => {
    const { become, seen, read } = await start();
    become(REFUSAL);
    const refused = [await read(), await read(), await read()];
    const callsWhileRefused = seen.length;
    become(WELL);

    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);

    expect(await read()).toBe('Supplier');
    expect(refused).toEqual(Array(3).fill('UNAUTHENTICATED'));
    expect(callsWhileRefused).toBe(1);
  });

  it('stays valid when the platform responds with a web page', async () => {
    const { become, read } = await start();
    become(PAGE);
    const unreadable = await read();
    become(WELL);

    expect(unreadable).toBe('UPSTREAM_INVALID_RESPONSE');
    expect(await read()).toBe('Supplier');
  });
});

it('a session that the platform refuses ends, its cookie is cleared, and who signs in again gets one at once', async () => {
  const { url, become } = await startChangeable('user');
  const signedIn = async () => {
    const [setCookie = ''] = (await executeAs(url, signIn('ann'), BROWSER)).cookies;
    return { ...BROWSER, cookie: setCookie.split(';')[0] ?? '' };
  };
  const session = await signedIn();
  become(REFUSAL);

  const refused = await executeAs(url, READ, session);
  const viewer = await executeAs(url, VIEWER, session);
  become(WELL);
  const renewed = await signedIn();

  expect(refused.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(refused.cookies).toEqual([expect.stringMatching(/^__Host-caseway=;/)]);
  expect(viewer.data).toEqual({ viewer: null });
  expect((await executeAs(url, VIEWER, renewed)).data.viewer.name).toBe('ann');
  expect((await executeAs(url, READ, renewed)).data).toEqual({ form: { name: 'Supplier' } });
});
