import { describe, expect, it } from 'vitest';

import { Work } from '../../src/core/work.ts';

import { failureOf, openPlatform } from './support/open.ts';

const FORM = { status: 200, body: { idForm: 'a' } };
const EXPIRED = { status: 401, body: { message: 'The session has expired', errorCode: 'SESSION' } };

describe('a 401 for an expired or invalid session or token', () => {
  it('is answered by a new token also where a 304 to no condition came before it', async () => {
    const replies = [{ status: 304 }, EXPIRED];
    const { upstream, requests, signedIn } = await openPlatform(() => replies[requests.length - 1] ?? FORM);

    await upstream.forms.read('a');

    expect([requests.length, signedIn.length]).toEqual([3, 2]);
  });

  it('for one resource does not affect others', async () => {
    const { upstream, signedIn } = await openPlatform(({ target }) => (target.endsWith('/odd') ? EXPIRED : FORM));
    await failureOf(upstream.forms.read('odd'));

    const [odd, even] = await Promise.allSettled([upstream.forms.read('odd'), upstream.forms.read('even')]);

    expect([odd.status, even.status]).toEqual(['rejected', 'fulfilled']);
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
    { where: 'elsewhere in its JSON', body: { message: 'no form REQUEST_LIMIT_EXCEEDED' } },
    { where: 'in a text that quotes the request', body: 'You may not read /forms/REQUEST_LIMIT_EXCEEDED' },
    { where: 'in a page of HTML', body: '<html><b>REQUEST_LIMIT_EXCEEDED</b></html>' },
  ])('$where does not count: the client may have written it', async ({ body }) => {
    const { upstream } = await openPlatform({ status: 403, body });

    expect((await failureOf(upstream.forms.read('REQUEST_LIMIT_EXCEEDED'))).failure).toBe('forbidden');
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
