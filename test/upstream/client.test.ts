import { describe, expect, it } from 'vitest';

import { Work } from '../../src/core/work.ts';

import { type Received, type Reply, valuesOf } from './support/http-server.ts';
import { failureOf, openPlatform, recordOf } from './support/open.ts';

const FORM = { status: 200, body: { idForm: 'a' } };
const EXPIRED = { status: 401, body: { message: 'The session has expired', errorCode: 'SESSION' } };

/** Answers 401 to every token but the given one. */
const onlyFor =
  (token: string, reply: Reply) =>
  (received: Received): Reply =>
    valuesOf(received, 'authorization')[0] === `Bearer ${token}` ? reply : EXPIRED;

const tokensOf = (requests: readonly Received[]) => requests.flatMap((received) => valuesOf(received, 'authorization'));

describe('a 401 for an expired or invalid session or token', () => {
  it('is followed by one repeat with a new token', async () => {
    const { upstream, requests, signedIn } = await openPlatform(onlyFor('token-2', FORM));

    const form = await recordOf(upstream.forms.read('a'));

    expect(form?.formId).toBe('a');
    expect(tokensOf(requests)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(signedIn).toHaveLength(2);
  });

  it('is followed by one repeat also for a POST, since the upstream refused before acting', async () => {
    const { upstream, requests } = await openPlatform(onlyFor('token-2', { status: 201, body: { idCase: 7 } }));

    const started = await upstream.cases.start('p', { values: { amount: 1 } });

    expect(started.caseId).toBe('7');
    expect(requests.map(({ method, body }) => `${method} ${body}`)).toEqual(Array(2).fill(`POST ${requests[0]?.body}`));
  });

  it('that persists ends after two calls and two tokens', async () => {
    const { upstream, requests, signedIn } = await openPlatform(EXPIRED);

    const error = await failureOf(upstream.forms.read('a'));

    expect(error).toMatchObject({
      failure: 'unauthenticated',
      operation: 'getForm',
      status: 401,
      errorCode: 'SESSION',
    });
    expect([requests.length, signedIn.length]).toEqual([2, 2]);
  });

  it('that persists costs later callers no more tokens, and one call each', async () => {
    const { upstream, requests, signedIn } = await openPlatform(EXPIRED);
    await failureOf(upstream.forms.read('a'));

    const errors = await Promise.all(Array.from({ length: 50 }, (_, id) => failureOf(upstream.forms.read(`f-${id}`))));

    expect(new Set(errors.map(({ failure }) => failure))).toEqual(new Set(['unauthenticated']));
    expect(signedIn).toHaveLength(2);
    expect(requests).toHaveLength(52);
  });

  it('for one resource does not affect others', async () => {
    const { upstream, signedIn } = await openPlatform(({ target }) => (target.endsWith('/odd') ? EXPIRED : FORM));
    await failureOf(upstream.forms.read('odd'));

    const [odd, even] = await Promise.allSettled([upstream.forms.read('odd'), upstream.forms.read('even')]);

    expect([odd.status, even.status]).toEqual(['rejected', 'fulfilled']);
    expect(signedIn).toHaveLength(2);
  });

  it('costs one renewal when ten concurrent calls get it', async () => {
    const { upstream, requests, signedIn } = await openPlatform(onlyFor('token-2', FORM));
    await upstream.authenticate();

    await Promise.all(Array.from({ length: 10 }, (_, index) => upstream.forms.read(`form-${index}`)));

    expect(signedIn).toHaveLength(2);
    expect(requests).toHaveLength(20);
  });

  it('costs no renewal when it arrives after another call has renewed the token', async () => {
    const late = Promise.withResolvers<void>();
    const { upstream, signedIn } = await openPlatform(async (received) => {
      const isOld = valuesOf(received, 'authorization')[0] === 'Bearer token-1';
      if (isOld && received.target.endsWith('/late')) await late.promise;
      return isOld ? EXPIRED : FORM;
    });

    const slow = recordOf(upstream.forms.read('late'));
    await upstream.forms.read('early');
    late.resolve();

    expect((await slow)?.formId).toBe('late');
    expect(signedIn).toHaveLength(2);
  });

  it('fails with the renewal’s error when the renewal fails', async () => {
    const { upstream, signedIn } = await openPlatform(EXPIRED, {
      issue: () => (signedIn.length === 1 ? { status: 200, body: { token: 't' } } : { status: 500 }),
    });

    expect(await failureOf(upstream.forms.read('a'))).toMatchObject({ failure: 'failed', operation: 'getToken' });
  });
});

describe('REQUEST_LIMIT_EXCEEDED', () => {
  it.each([
    { as: 'the errorCode of its JSON', body: { message: 'too many', errorCode: 'REQUEST_LIMIT_EXCEEDED' } },
    { as: 'the whole of a text', body: 'REQUEST_LIMIT_EXCEEDED\n' },
  ])('as $as makes a 403 rate-limited, and does not renew the token', async ({ body }) => {
    const { upstream, requests, signedIn } = await openPlatform({ status: 403, body });

    const error = await failureOf(upstream.forms.read('a'));

    expect(error).toMatchObject({ failure: 'rate-limited', errorCode: 'REQUEST_LIMIT_EXCEEDED', status: 403 });
    expect([requests.length, signedIn.length]).toEqual([1, 1]);
  });

  it.each([
    { where: 'elsewhere in its JSON', body: { message: 'no form REQUEST_LIMIT_EXCEEDED' } },
    { where: 'in a text that quotes the request', body: 'You may not read /forms/REQUEST_LIMIT_EXCEEDED' },
    { where: 'in a page of HTML', body: '<html><b>REQUEST_LIMIT_EXCEEDED</b></html>' },
  ])('$where does not count: the client may have written it', async ({ body }) => {
    const { upstream } = await openPlatform({ status: 403, body });

    expect((await failureOf(upstream.forms.read('REQUEST_LIMIT_EXCEEDED'))).failure).toBe('forbidden');
  });

  it('is absent from a 403 with another code, which is forbidden', async () => {
    const body = { message: 'No permission', errorCode: 'NO_PERMISSION' };
    const { upstream, signedIn } = await openPlatform({ status: 403, body });

    const error = await failureOf(upstream.forms.read('a'));

    expect(error).toMatchObject({ failure: 'forbidden', errorCode: 'NO_PERMISSION', reason: 'No permission' });
    expect(signedIn).toHaveLength(1);
  });
});

describe('a cancelled call', () => {
  it('is not sent when its token arrives', async () => {
    const controller = new AbortController();
    const { upstream, requests } = await openPlatform(FORM, {
      issue: () => {
        controller.abort();
        return { status: 200, body: { token: 't' } };
      },
    });

    const error = await failureOf(upstream.forms.read('a', { work: new Work({ signal: controller.signal }) }));

    expect(error.failure).toBe('cancelled');
    expect(requests).toEqual([]);
  });
});
