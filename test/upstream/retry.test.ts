import { describe, expect, it } from 'vitest';

import { Work } from '../../src/core/work.ts';

import type { Answerer, Reply } from './support/http-server.ts';
import { CREDENTIALS, failureOf, openFactory, openPlatform, recordOf } from './support/open.ts';
import { answerWith, startRawServer } from './support/raw-server.ts';

const FORM: Reply = { status: 200, body: { idForm: 'a' } };
const BROKEN: Reply = { status: 500 };

/** Answers so at first, and well from then on. */
const once = (first: Reply): Answerer => {
  let count = 0;
  return () => (count++ === 0 ? first : FORM);
};

describe('a read', () => {
  it.each([
    ['500', BROKEN],
    ['503 and to wait a second', { status: 503, headers: { 'retry-after': '1' } }],
    ['a text that was cut', { status: 200, body: '{"idForm":"a","na' }],
    ['a page', { status: 200, body: '<!doctype html>' }],
  ])('is retried after %s', async (_what, first) => {
    const { upstream, requests } = await openPlatform(once(first));

    expect((await recordOf(upstream.forms.read('a')))?.formId).toBe('a');
    expect(requests).toHaveLength(2);
  });

  it('is retried once at most', async () => {
    const { upstream, requests } = await openPlatform(BROKEN);

    expect((await failureOf(upstream.forms.read('a'))).failure).toBe('failed');
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['400', { status: 400 }],
    ['403', { status: 403 }],
    ['REQUEST_LIMIT_EXCEEDED', { status: 403, body: { errorCode: 'REQUEST_LIMIT_EXCEEDED' } }],
    ['a redirect', { status: 302 }],
    ['an image', { status: 200, headers: { 'content-type': 'image/png' }, body: 'x' }],
    ['503 and to wait longer than there is time', { status: 503, headers: { 'retry-after': '9' } }],
  ])('is not retried after %s', async (_what, first) => {
    const { upstream, requests } = await openPlatform(once(first));

    await failureOf(upstream.forms.read('a'));

    expect(requests).toHaveLength(1);
  });

  it('has half of the deadline for its first attempt, and the rest for the second', async () => {
    const { url, heads } = await startRawServer((socket, count) => {
      if (count === 1) answerWith(socket, '{"access_token":"t"}');
    });
    const { forms } = openFactory(url, { timeoutMs: 1_500 }).forService(CREDENTIALS.B);
    const startedMs = performance.now();

    const error = await failureOf(forms.read('a'));

    expect(error.failure).toBe('timeout');
    expect(heads).toHaveLength(3);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('has the whole deadline while no retry is left', async () => {
    const answers: Answerer[] = Array(21).fill(() => BROKEN);
    const slow = () => new Promise<Reply>((resolve) => setTimeout(resolve, 1_000, FORM));
    const { upstream } = await openPlatform((received) => (answers.pop() ?? slow)(received), { timeoutMs: 1_500 });
    for (let n = 0; n < 11; n++) await failureOf(upstream.forms.read('a'));

    expect((await recordOf(upstream.forms.read('a')))?.formId).toBe('a');
  });

  it('is not retried after its caller was cancelled', async () => {
    const leaver = new AbortController();
    const { upstream, requests } = await openPlatform(() => {
      leaver.abort();
      return BROKEN;
    });

    expect((await failureOf(upstream.forms.read('a', { work: new Work({ signal: leaver.signal }) }))).failure).toBe(
      'cancelled',
    );
    expect(requests).toHaveLength(1);
  });

  it('is retried for one call in ten only during a long outage', async () => {
    const { upstream, requests } = await openPlatform(BROKEN);

    await Promise.all(Array.from({ length: 200 }, () => failureOf(upstream.forms.read('a'))));

    expect(requests).toHaveLength(210);
  });
});

describe('a write', () => {
  it.each([
    ['500', BROKEN],
    ['503', { status: 503, headers: { 'retry-after': '0' } }],
    ['a text that was cut', { status: 201, body: '{' }],
  ])('is never retried after %s', async (_what, first) => {
    const { upstream, requests } = await openPlatform(once(first));

    await failureOf(upstream.cases.start('p', {}));

    expect(requests).toHaveLength(1);
  });
});
