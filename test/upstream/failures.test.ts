import { describe, expect, it } from 'vitest';

import { classify, type UpstreamFailure } from '../../src/core/errors.ts';
import { failureOf, openPlatform, recordOf } from './support/open.ts';

const KEY = { formId: 'a', instanceId: '1' };

function expectedOf(status: number): UpstreamFailure {
  const named: Readonly<Record<number, UpstreamFailure>> = {
    401: 'unauthenticated',
    403: 'forbidden',
    404: 'not-found',
    429: 'rate-limited',
  };
  return named[status] ?? (status < 500 ? 'rejected' : 'failed');
}

describe('a status', () => {
  it('from 400 to 599 has a failure, its own or that of its class', () => {
    const statuses = Array.from({ length: 200 }, (_, index) => 400 + index);

    const got = statuses.map((status) => [status, classify(status, undefined)]);

    expect(got).toEqual(statuses.map((status) => [status, expectedOf(status)]));
  });

  it.each([
    [400, 'rejected'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [408, 'outcome-unknown'],
    [409, 'rejected'],
    [429, 'rate-limited'],
    [500, 'failed'],
    [503, 'failed'],
    [599, 'failed'],
    [301, 'outcome-unknown'],
    [302, 'outcome-unknown'],
    [303, 'outcome-unknown'],
    [304, 'outcome-unknown'],
    [307, 'outcome-unknown'],
    [308, 'outcome-unknown'],
  ])('of %i makes a write %s, in one call', async (status, failure) => {
    const { upstream, requests } = await openPlatform({ status });

    const error = await failureOf(upstream.instances.update(KEY, {}));

    expect(error).toMatchObject({ failure, status, operation: 'updateValuesOfFormIntance' });
    expect(requests).toHaveLength(1);
  });

  it('of 404 is undefined for a read, and a failure for a write', async () => {
    const { upstream } = await openPlatform({ status: 404, body: { message: 'Check the path' } });

    const reads = await Promise.all([recordOf(upstream.forms.read('a')), recordOf(upstream.instances.read(KEY))]);

    expect(reads).toEqual([undefined, undefined]);
    expect((await failureOf(upstream.instances.delete(KEY))).failure).toBe('not-found');
  });

  it('of 400 on getParameters and execute means that the rule is unavailable', async () => {
    const body = { message: 'The rule is not published for the REST API', errorCode: 'RULE' };
    const { upstream } = await openPlatform({ status: 400, body });
    const rule = { component: 'r', version: '1' };

    const errors = await Promise.all([upstream.rules.read(rule), upstream.rules.execute(rule, [])].map(failureOf));

    expect(errors).toMatchObject([
      { failure: 'rejected', operation: 'getParameters', reason: body.message },
      { failure: 'rejected', operation: 'execute', reason: body.message },
    ]);
  });
});

describe('a successful response', () => {
  it.each([
    ['202 without a body to a PUT', { status: 202 }],
    ['202 with a body to a PUT', { status: 202, body: '<accepted/>' }],
    ['204 without content', { status: 204 }],
  ])('may be %s', async (_what, reply) => {
    const { upstream } = await openPlatform(reply);

    const done = [
      upstream.instances.replace(KEY, {}),
      upstream.instances.update(KEY, {}),
      upstream.instances.delete(KEY),
    ];

    expect(await Promise.all(done)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['a page of HTML', '<!doctype html><title>Sign in</title>'],
    ['nothing', ''],
    ['half of its JSON', '{"idForm":"a","na'],
    ['a JSON text', '"a"'],
    ['null', 'null'],
  ])('is malformed with %s instead of a form', async (_what, body) => {
    const { upstream } = await openPlatform({ status: 200, body });

    const error = await failureOf(upstream.forms.read('a'));

    expect(error).toMatchObject({ failure: 'malformed', operation: 'getForm', status: 200 });
  });
});
