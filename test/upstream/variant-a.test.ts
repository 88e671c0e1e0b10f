import { describe, expect, it } from 'vitest';

import { valuesOf } from './support/http-server.ts';
import { failureOf, openPlatform } from './support/open.ts';
import { ANSWER, CALL_ROWS } from './support/operations.ts';

describe('variant A', () => {
  it.each(CALL_ROWS)(
    'sends Accept and Content-Type on %s, a %s, and the token unchanged',
    async (_name, method, { call }) => {
      const { upstream, requests } = await openPlatform(ANSWER, {
        variant: 'A',
        issue: () => ({ status: 201, headers: { authorization: 'Session  a;b="c"' } }),
      });

      await call(upstream);

      const sent = requests.map((received) => ({
        method: received.method,
        accept: valuesOf(received, 'accept'),
        contentType: valuesOf(received, 'content-type'),
        authorization: valuesOf(received, 'authorization'),
      }));
      const json = ['application/json'];
      expect(sent).toEqual([{ method, accept: json, contentType: json, authorization: ['Session  a;b="c"'] }]);
    },
  );

  it('posts the credentials to getToken without an Authorization header', async () => {
    const { upstream, signedIn } = await openPlatform(ANSWER, { variant: 'A' });

    await upstream.authenticate();

    const [request] = signedIn;
    expect(request).toMatchObject({ method: 'POST', target: '/v1.0/token' });
    expect(JSON.parse(request?.body ?? '')).toEqual({ username: 'ann', password: 'secret' });
    expect(request && ['authorization', 'accept', 'content-type'].map((name) => valuesOf(request, name))).toEqual([
      [],
      ['application/json'],
      ['application/json'],
    ]);
  });

  it('treats a 201 without a token as malformed', async () => {
    const { upstream } = await openPlatform(ANSWER, {
      variant: 'A',
      issue: () => ({ status: 201, body: { token: 't' } }),
    });

    expect(await failureOf(upstream.authenticate())).toMatchObject({ failure: 'malformed', operation: 'getToken' });
  });
});
