import { describe, expect, it } from 'vitest';

import type { Upstream } from '../../src/upstream/index.ts';
import { valuesOf } from './support/http-server.ts';
import { failureOf, openPlatform } from './support/open.ts';

const KEY = { formId: 'a', instanceId: '1' };
const RULE = { component: 'r', version: '1' };
const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };

const OPERATIONS: readonly (readonly [string, string, (upstream: Upstream) => Promise<unknown>])[] = [
  ['getForms', 'GET', ({ forms }) => forms.list(PAGE)],
  ['getForm', 'GET', ({ forms }) => forms.read('a')],
  ['getFormIntances', 'GET', ({ instances }) => instances.list('a', PAGE)],
  ['createFormIntance', 'POST', ({ instances }) => instances.create('a', {})],
  ['getFormIntance', 'GET', ({ instances }) => instances.read(KEY)],
  ['updateFormIntance', 'PUT', ({ instances }) => instances.replace(KEY, {})],
  ['updateValuesOfFormIntance', 'PATCH', ({ instances }) => instances.update(KEY, {})],
  ['deleteFormIntance', 'DELETE', ({ instances }) => instances.delete(KEY)],
  ['startCase', 'POST', ({ cases }) => cases.start('p', {})],
  ['executeCurrentActivity', 'PUT', ({ cases }) => cases.execute('1', '2', {})],
  ['getParameters', 'PUT', ({ rules }) => rules.read(RULE)],
  ['execute', 'PUT', ({ rules }) => rules.execute(RULE, [])],
];

const ANSWER = { status: 200, body: { idForm: 'a', idInstance: 1, idCase: 1, items: [], parameters: [] } };

describe('variant A', () => {
  it.each(OPERATIONS)(
    'sends Accept and Content-Type on %s, a %s, and the token unchanged',
    async (_name, method, ask) => {
      const { upstream, asked } = await openPlatform(ANSWER, {
        variant: 'A',
        issue: () => ({ status: 201, headers: { authorization: 'Session  a;b="c"' } }),
      });

      await ask(upstream);

      const sent = asked.map((received) => ({
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

  it.each([400, 401])('takes %i on getToken for refused credentials', async (status) => {
    const { upstream, asked } = await openPlatform(ANSWER, { variant: 'A', issue: () => ({ status }) });

    const error = await failureOf(upstream.forms.read('a'));

    expect(error).toMatchObject({ failure: 'unauthenticated', operation: 'getToken', status });
    expect(asked).toEqual([]);
  });

  it('finds an answer malformed that is 201 without a token', async () => {
    const { upstream } = await openPlatform(ANSWER, {
      variant: 'A',
      issue: () => ({ status: 201, body: { token: 't' } }),
    });

    expect(await failureOf(upstream.authenticate())).toMatchObject({ failure: 'malformed', operation: 'getToken' });
  });
});
