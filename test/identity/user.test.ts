import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { scriptPlatform } from '../support/scripted-platform.ts';
import { executeAs, READ, signIn, signInAs, startForUsers, startWith, VIEWER } from './support.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const key = () => randomBytes(32).toString('base64url');

describe.each(['basic', 'credentials'])('signing in with UPSTREAM_AUTH=%s', (UPSTREAM_AUTH) => {
  it('starts a session with name, start and end, and with the user’s permissions', async () => {
    const { url, calls } = await startForUsers({ UPSTREAM_AUTH });

    const { data } = await executeAs(url, signIn('reader'));
    const { sessionToken, viewer, expiresAt } = data.signIn;
    const seen = await executeAs(url, VIEWER, bearer(sessionToken));
    const read = await executeAs(url, READ, bearer(sessionToken));

    expect(viewer.name).toBe('reader');
    expect(Date.parse(viewer.until)).toBeGreaterThan(Date.parse(viewer.since));
    expect(expiresAt).toBe(viewer.until);
    expect(seen.data).toEqual({ viewer });
    expect(read.data).toEqual({ form: { name: 'Supplier' } });
    expect(calls).toEqual([expect.stringContaining('getToken'), 'reader getForm 200']);
  });

  it('fails with UNAUTHENTICATED for credentials that the platform refuses', async () => {
    const { url } = await startForUsers({ UPSTREAM_AUTH });

    const { data, errors, cookies } = await executeAs(url, signIn('reader', 'wrong'));

    expect(data).toEqual({ signIn: null });
    expect(errors).toMatchObject([{ path: ['signIn'], extensions: { code: 'UNAUTHENTICATED' } }]);
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

    const { data, errors } = await executeAs(
      url,
      `{ viewer { name } form(formId: "supplier") { name } }`,
    );

    expect(data).toEqual({ viewer: null, form: null });
    expect(errors).toMatchObject([{ path: ['form'], extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(calls).toEqual([]);
  });

  it('never contains the platform’s token in the clear', async () => {
    const { url } = await startForUsers({ UPSTREAM_AUTH: 'credentials' });

    const parts = (await executeAs(url, signIn('reader'))).data.signIn.sessionToken.split('.');

    expect(parts).toHaveLength(5);
    expect(
      parts.map((part: string) => Buffer.from(part, 'base64url').toString('latin1')).join(),
    ).not.toMatch(/authorization|reader/);
  });

  it('ends at sign-out, and starts anew also where the platform issues the same token again', async () => {
    const { env } = await scriptPlatform(() => ({
      body: { idForm: 'supplier', name: 'Supplier', fields: [] },
    }));
    const url = await startWith({ ...env, IDENTITY: 'user' });
    const first = await signInAs(url, 'reader');

    const out = await executeAs(url, 'mutation { signOut { viewer { name } } }', first);
    const after = await executeAs(url, READ, first);
    const second = await executeAs(url, READ, await signInAs(url, 'reader'));

    expect(out.data).toEqual({ signOut: { viewer: null } });
    expect(out.cookies[0]).toMatch(/^__Host-caseway=;.*Expires=Thu, 01 Jan 1970/);
    expect(second.data).toEqual({ form: { name: 'Supplier' } });
    for (const { errors } of [after, await executeAs(url, READ, first)]) {
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
  });

  it('ends when the platform’s token ends', async () => {
    let nowMs = Date.now();
    const { url, calls, signedIn } = await startForUsers({}, { now: () => nowMs });
    const session = await signedIn('reader');

    nowMs += 3_600_001;

    for (const _ of [1, 2]) {
      const { errors } = await executeAs(url, READ, session);
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
    expect(calls.filter((call) => call.includes('getForm'))).toHaveLength(1);
  });

  it('ends at its time without a call to the platform', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url, calls, signedIn } = await startForUsers();
    const session = await signedIn('reader');
    const viewer = async () => (await executeAs(url, VIEWER, session)).data.viewer;
    expect(await viewer()).toMatchObject({ name: 'reader' });
    const { length } = calls;

    vi.setSystemTime(Date.now() + 3_600_001);

    expect(await viewer()).toBeNull();
    expect(calls).toHaveLength(length);
  });

  it('is accepted by every replica with the key, also after the key was rotated', async () => {
    const [old, fresh] = [key(), key()];
    const { UPSTREAM_URL, signedIn } = await startForUsers({ SESSION_KEYS: old });
    const session = await signedIn('reader');
    const replica = (SESSION_KEYS: string) =>
      startWith({ UPSTREAM_URL, IDENTITY: 'user', SESSION_KEYS });

    const rotated = await executeAs(await replica(`${fresh},${old}`), READ, session);
    const stranger = await executeAs(await replica(fresh), VIEWER, session);

    expect(rotated.data).toEqual({ form: { name: 'Supplier' } });
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
});
