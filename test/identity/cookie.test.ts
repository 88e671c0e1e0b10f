import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';

import { listen } from '../support/listen.ts';
import { executeAs, READ, signIn, startPlatform, startWith, VIEWER } from './support.ts';

const BROWSER = { 'sec-fetch-site': 'same-origin', 'x-csrf': '1' };

async function signedInBrowser(env: Readonly<Record<string, string>> = {}) {
  const platform = await startPlatform();
  const url = await startWith({ UPSTREAM_URL: platform.url, IDENTITY: 'user', ...env });
  const { cookies, data } = await executeAs(url, signIn('demo'), BROWSER);
  const [setCookie = ''] = cookies;
  return { url, setCookie, data, cookie: setCookie.split(';')[0] ?? '', calls: platform.calls };
}

describe('the session cookie', () => {
  it('is bound to the host and hidden from scripts, and a browser gets no token beside it', async () => {
    const { setCookie, data } = await signedInBrowser();

    expect(setCookie).toMatch(/^__Host-caseway=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(data.signIn).toMatchObject({ viewer: { name: 'demo' }, sessionToken: null });
  });

  it('authenticates the caller', async () => {
    const { url, cookie } = await signedInBrowser();

    expect((await executeAs(url, VIEWER, { ...BROWSER, cookie })).data.viewer.name).toBe('demo');
    expect((await executeAs(url, READ, { ...BROWSER, cookie })).data).toEqual({ form: { name: 'Supplier' } });
  });

  it('is ignored without the header that no form can send', async () => {
    const { url, cookie, calls } = await signedInBrowser();
    const before = calls.length;

    const { status, errors } = await executeAs(
      url,
      'mutation { deleteInstance(input: { formId: "expense", instanceId: 1 }) { deletedId } }',
      { cookie },
    );

    expect(status).toBe(403);
    expect(errors).toMatchObject([{ message: expect.stringContaining('x-csrf'), extensions: { code: 'FORBIDDEN' } }]);
    expect(calls).toHaveLength(before);
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling subdomain', { 'sec-fetch-site': 'same-site' }],
    ['another origin, by an old browser', { origin: 'https://evil.example' }],
  ])('is ignored for a page of %s', async (_whose, headers) => {
    const { url, cookie } = await signedInBrowser();

    expect((await executeAs(url, VIEWER, { 'x-csrf': '1', cookie, ...headers })).status).toBe(403);
    expect((await executeAs(url, signIn('demo'), headers)).status).toBe(403);
  });
});

describe('pages of other origins', () => {
  const APP = 'https://app.example';
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });

  it('may not send requests unless they are allowed', async () => {
    const { url } = await signedInBrowser({ CORS_ORIGINS: APP });

    const [listed, other] = [await preflight(url, APP), await preflight(url, 'https://evil.example')];

    expect(listed.headers.get('access-control-allow-origin')).toBe(APP);
    expect(listed.headers.get('access-control-allow-credentials')).toBe('true');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('a token too long for a browser’s cookie fails the sign-in of a browser, and of no other client', async () => {
  const body = JSON.stringify({ access_token: 't'.repeat(3_500), expires_in: 3600 });
  const platform = await listen(
    createServer((incoming, outgoing) => {
      incoming.resume();
      outgoing.setHeader('content-type', 'application/json').end(body);
    }),
  );
  const url = await startWith({ UPSTREAM_URL: platform, IDENTITY: 'user' });

  const browser = await executeAs(url, signIn('demo'), BROWSER);
  const other = await executeAs(url, signIn('demo'));

  expect(browser.errors).toMatchObject([{ path: ['signIn'], extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(browser.errors?.[0]?.message).toContain('too long for a browser');
  expect([...browser.cookies, ...other.cookies]).toEqual([]);
  const headers = { authorization: `Bearer ${other.data.signIn.sessionToken}` };
  expect((await executeAs(url, VIEWER, headers)).data.viewer.name).toBe('demo');
});
