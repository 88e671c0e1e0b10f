import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { collectGarbage } from '../support/collect-garbage.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { executeAs, READ, signIn, signInAs, startForUsers, startWith, VIEWER } from './support.ts';

const SIGN_OUT = 'mutation { signOut { viewer { name } } }';
const SUPPLIER = { form: { name: 'Supplier' } };
const UNAUTHENTICATED = { extensions: { code: 'UNAUTHENTICATED' } };
const BROWSER = { 'sec-fetch-site': 'same-origin', 'x-csrf': '1' };

/** Starts a gateway whose platform issues tokens to any user, and answers all calls with a form. */
async function startWithTokens(tokenOf: () => string) {
  const { env } = await scriptPlatform(
    () => ({ body: { idForm: 'supplier', name: 'Supplier', fields: [] } }),
    tokenOf,
  );
  return startWith({ UPSTREAM_URL: env.UPSTREAM_URL, IDENTITY: 'user' });
}

describe.each(['basic', 'credentials'])('signing in with UPSTREAM_AUTH=%s', (UPSTREAM_AUTH) => {
  it('starts a session with name, start and end, and with the user’s permissions', async () => {
    const { url, calls } = await startForUsers({ UPSTREAM_AUTH });

    const { data } = await executeAs(url, signIn('reader'));
    const { sessionToken, viewer, expiresAt } = data.signIn;
    const session = { authorization: `Bearer ${sessionToken}` };
    const seen = await executeAs(url, VIEWER, session);
    const read = await executeAs(url, READ, session);

    expect(viewer.name).toBe('reader');
    expect(Date.parse(viewer.until)).toBeGreaterThan(Date.parse(viewer.since));
    expect(expiresAt).toBe(viewer.until);
    expect(seen.data).toEqual({ viewer });
    expect(read.data).toEqual(SUPPLIER);
    expect(calls).toEqual([expect.stringContaining('getToken'), 'reader getForm 200']);
    // The session never contains the platform's token or the name in the clear.
    const parts: string[] = sessionToken.split('.');
    expect(parts).toHaveLength(5);
    for (const part of parts)
      expect(Buffer.from(part, 'base64url').toString('latin1')).not.toMatch(/authorization|reader/);
  });

  it('fails with UNAUTHENTICATED for credentials that the platform refuses', async () => {
    const { url } = await startForUsers({ UPSTREAM_AUTH });

    const { data, errors, cookies } = await executeAs(url, signIn('reader', 'wrong'));

    expect(data).toEqual({ signIn: null });
    expect(errors).toMatchObject([{ path: ['signIn'], ...UNAUTHENTICATED }]);
    expect(errors?.[0]?.message).toContain('user name and password');
    expect(cookies).toEqual([]);
  });
});

it('signing in is tried once per request, however often it is selected', async () => {
  const { url, calls } = await startForUsers();
  const tries = ['wrong', 'reader', 'demo'].map(
    (password, index) =>
      `t${index}: signIn(input: { username: "reader", password: "${password}" }) { expiresAt }`,
  );

  const { data, errors } = await executeAs(url, `mutation { ${tries.join(' ')} }`);

  expect(data).toEqual({ t0: null, t1: null, t2: null });
  expect(errors?.map(({ extensions }) => extensions['code'])).toEqual([
    'UNAUTHENTICATED',
    'BAD_USER_INPUT',
    'BAD_USER_INPUT',
  ]);
  expect(calls).toHaveLength(1);
});

describe('a session', () => {
  it('is required to read from the platform, and without one no call is made', async () => {
    const { url, calls } = await startForUsers();

    const { data, errors } = await executeAs(url, `{ viewer { name } ${READ.slice(1)}`);

    expect(data).toEqual({ viewer: null, form: null });
    expect(errors).toMatchObject([{ path: ['form'], ...UNAUTHENTICATED }]);
    expect(calls).toEqual([]);
  });

  it('ends at sign-out, and starts anew also where the platform issues the same token again', async () => {
    const url = await startWithTokens(() => 'token');
    const first = await signInAs(url, 'reader');

    const out = await executeAs(url, SIGN_OUT, first);
    const after = await executeAs(url, READ, first);
    const second = await executeAs(url, READ, await signInAs(url, 'reader'));

    expect(out.data).toEqual({ signOut: { viewer: null } });
    expect(out.cookies[0]).toMatch(/^__Host-caseway=;.*Expires=Thu, 01 Jan 1970/);
    expect(second.data).toEqual(SUPPLIER);
    for (const { errors } of [after, await executeAs(url, READ, first)])
      expect(errors).toMatchObject([UNAUTHENTICATED]);
  });

  it('ends at its time without a call to the platform', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url, calls, signedIn } = await startForUsers();
    const session = await signedIn('reader');
    const viewer = async () => (await executeAs(url, VIEWER, session)).data.viewer;
    expect(await viewer()).toMatchObject({ name: 'reader' });

    vi.setSystemTime(Date.now() + 3_600_001);

    expect(await viewer()).toBeNull();
    for (const _ of [1, 2])
      expect((await executeAs(url, READ, session)).errors).toMatchObject([UNAUTHENTICATED]);
    expect(calls).toHaveLength(1);
  });

  it('is accepted by every replica with the key, also after the key was rotated', async () => {
    const [old, fresh] = [1, 2].map(() => randomBytes(32).toString('base64url'));
    const { UPSTREAM_URL, signedIn } = await startForUsers({ SESSION_KEYS: String(old) });
    const session = await signedIn('reader');
    const replica = (SESSION_KEYS: string) =>
      startWith({ UPSTREAM_URL, IDENTITY: 'user', SESSION_KEYS });

    const rotated = await executeAs(await replica(`${fresh},${old}`), READ, session);
    const stranger = await executeAs(await replica(String(fresh)), VIEWER, session);

    expect(rotated.data).toEqual(SUPPLIER);
    expect(stranger.data).toEqual({ viewer: null });
  });

  it('of one user reveals nothing to another', async () => {
    const { url, signedIn } = await startForUsers();
    const [reader, clerk] = [await signedIn('reader'), await signedIn('clerk')];
    const employee = '{ instance(formId: "employee", instanceId: 1) { value(field: "name") } }';

    const [allowed, refused] = await Promise.all([
      executeAs(url, employee, reader),
      executeAs(url, employee, clerk),
    ]);

    expect(allowed.errors).toBeUndefined();
    expect(refused.data).toEqual({ instance: null });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  it('does not keep the request that opened it', async () => {
    let tokens = 0;
    const url = await startWithTokens(() => `token-${tokens++}`);
    // A body of 190 kB that the operation does not use.
    const large = { a: 'x'.repeat(95_000), b: 'x'.repeat(95_000) };
    const open = async () => {
      const { data } = await executeAs(url, VIEWER, await signInAs(url, 'ann'), large);
      expect(data.viewer.name).toBe('ann');
    };
    await open();
    const before = collectGarbage();

    for (let count = 0; count < 40; count++) await open();

    // Their bodies are more than 7 MB.
    expect(collectGarbage() - before).toBeLessThan(3_500_000);
  });
});

describe('the session cookie', () => {
  async function signInBrowser() {
    const { url, calls } = await startForUsers();
    const { cookies, data } = await executeAs(url, signIn('demo'), BROWSER);
    return { url, calls, data, setCookie: cookies[0] ?? '', cookie: cookies[0]?.split(';')[0] };
  }

  it('is bound to the host and hidden from scripts, authenticates, and a browser gets no token beside it', async () => {
    const { url, setCookie, data, cookie } = await signInBrowser();
    const headers = { ...BROWSER, cookie: String(cookie) };

    expect(setCookie).toMatch(
      /^__Host-caseway=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(data.signIn).toMatchObject({ viewer: { name: 'demo' }, sessionToken: null });
    expect((await executeAs(url, VIEWER, headers)).data.viewer.name).toBe('demo');
    expect((await executeAs(url, READ, headers)).data).toEqual(SUPPLIER);
  });

  it('is ignored without the header that no form can send', async () => {
    const { url, cookie, calls } = await signInBrowser();

    const { status, errors } = await executeAs(
      url,
      'mutation { deleteInstance(input: { formId: "expense", instanceId: 1 }) { deletedId } }',
      { cookie: String(cookie) },
    );

    expect(status).toBe(403);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('x-csrf'), extensions: { code: 'FORBIDDEN' } },
    ]);
    expect(calls).toHaveLength(1);
  });

  it('cannot hold a long token, which fails the sign-in of a browser, and of no other client', async () => {
    const url = await startWithTokens(() => 't'.repeat(3_500));

    const browser = await executeAs(url, signIn('demo'), BROWSER);
    const other = await executeAs(url, signIn('demo'));
    const session = { authorization: `Bearer ${other.data.signIn.sessionToken}` };

    expect([browser.cookies, other.cookies]).toEqual([[], []]);
    expect(browser.errors).toMatchObject([
      {
        path: ['signIn'],
        message: expect.stringContaining('too long for a browser'),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect((await executeAs(url, VIEWER, session)).data.viewer.name).toBe('demo');
  });
});
