import { describe, expect, it } from 'vitest';

import { scriptPlatform } from '../support/scripted-platform.ts';
import { executeAs, READ, signIn, startForUsers, startWith, VIEWER } from './support.ts';

const BROWSER = { 'sec-fetch-site': 'same-origin', 'x-csrf': '1' };

async function signedInBrowser() {
  const { url, calls } = await startForUsers();
  const { cookies, data } = await executeAs(url, signIn('demo'), BROWSER);
  const [setCookie = ''] = cookies;
  return { url, setCookie, data, cookie: setCookie.split(';')[0] ?? '', calls };
}

describe('the session cookie', () => {
  it('is bound to the host and hidden from scripts, authenticates, and a browser gets no token beside it', async () => {
    const { url, setCookie, data, cookie } = await signedInBrowser();

    expect(setCookie).toMatch(
      /^__Host-caseway=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(data.signIn).toMatchObject({ viewer: { name: 'demo' }, sessionToken: null });
    expect((await executeAs(url, VIEWER, { ...BROWSER, cookie })).data.viewer.name).toBe('demo');
    expect((await executeAs(url, READ, { ...BROWSER, cookie })).data).toEqual({
      form: { name: 'Supplier' },
    });
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
    expect(errors).toMatchObject([
      { message: expect.stringContaining('x-csrf'), extensions: { code: 'FORBIDDEN' } },
    ]);
    expect(calls).toHaveLength(before);
  });
});

it('a token too long for a browser’s cookie fails the sign-in of a browser, and of no other client', async () => {
  const { env } = await scriptPlatform(
    () => ({}),
    () => 't'.repeat(3_500),
  );
  const url = await startWith({ UPSTREAM_URL: env.UPSTREAM_URL, IDENTITY: 'user' });

  const browser = await executeAs(url, signIn('demo'), BROWSER);
  const other = await executeAs(url, signIn('demo'));

  expect(browser.errors).toMatchObject([
    { path: ['signIn'], extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  expect(browser.errors?.[0]?.message).toContain('too long for a browser');
  expect([...browser.cookies, ...other.cookies]).toEqual([]);
  const headers = { authorization: `Bearer ${other.data.signIn.sessionToken}` };
  expect((await executeAs(url, VIEWER, headers)).data.viewer.name).toBe('demo');
});
