import { describe, expect, it } from 'vitest';

import { toError } from '../../src/upstream/answer.ts';
import { dialectOf } from './support/open.ts';

const errorOf = (text: string, headers: Readonly<Record<string, string>> = {}, status = 400) =>
  toError({ operation: 'startCase', kind: 'write' }, { status, headers, text }, dialectOf());

describe('an error body', () => {
  it('has message and errorCode', () => {
    const error = errorOf('{"message":"The amount is missing","errorCode":"E_REQUIRED","extra":1}');

    expect(error).toMatchObject({ reason: 'The amount is missing', errorCode: 'E_REQUIRED' });
  });

  it.each(['', 'null', '[]', '"text"', '<html>', '{', '{"message":{},"errorCode":[]}'])(
    'may be %j, without either',
    (text) => {
      expect(errorOf(text)).toMatchObject({ failure: 'rejected', reason: undefined, errorCode: undefined });
    },
  );

  it.each([
    '{"message":"no form REQUEST_LIMIT_EXCEEDED"}',
    'You may not read /forms/REQUEST_LIMIT_EXCEEDED',
    '<html><b>REQUEST_LIMIT_EXCEEDED</b></html>',
  ])('is no word of the request limit where it is %j: the client may have written that', (text) => {
    expect(errorOf(text, {}, 403).failure).toBe('forbidden');
  });

  it('is truncated when long', () => {
    const error = errorOf(JSON.stringify({ message: 'm'.repeat(5_000), errorCode: 'c'.repeat(5_000) }));

    expect([error.reason?.length, error.errorCode?.length]).toEqual([1_000, 100]);
  });

  it('is not part of the error’s own message, nor are its headers', () => {
    const error = errorOf('{"message":"secret"}', { authorization: 'secret', location: 'http://secret' });

    expect(error.message).toBe('startCase: rejected (HTTP 400)');
    expect(JSON.stringify({ ...error, reason: undefined })).not.toContain('secret');
  });
});

describe('Retry-After', () => {
  const LIMIT = '{"errorCode":"REQUEST_LIMIT_EXCEEDED"}';

  it.each([
    { header: '5', waitMs: 5_000 },
    { header: '0', waitMs: 0 },
    { header: '86400', waitMs: 3_600_000 },
    { header: '9'.repeat(400), waitMs: 3_600_000 },
    { header: '-5', waitMs: 1_000 },
    { header: 'Wed, 21 Oct 2099 07:28:00 GMT', waitMs: 3_600_000 },
    { header: 'Wed, 21 Oct 2015 07:28:00 GMT', waitMs: 1_000 },
    { header: 'soon', waitMs: 1_000 },
  ])('of $header makes callers wait $waitMs ms', ({ header, waitMs }) => {
    expect(errorOf(LIMIT, { 'retry-after': header }, 403).retryAfterMs).toBe(waitMs);
  });

  it('is a minute at most where the request limit is not exceeded, and for getToken', () => {
    const headers = { 'retry-after': '86400' };
    const ofToken = toError(
      { operation: 'getToken', kind: 'read' },
      { status: 403, headers, text: LIMIT },
      dialectOf(),
    );

    const waits = [errorOf('{}', headers, 503), errorOf('{}', headers, 429), ofToken];

    expect(waits.map(({ retryAfterMs }) => retryAfterMs)).toEqual([60_000, 60_000, 60_000]);
  });

  it('may be a date, relative to the response’s Date', () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' };

    expect(errorOf('{}', headers, 503).retryAfterMs).toBe(30_000);
  });

  it('is what the dialect says where it is absent and the limit is exceeded, else undefined', () => {
    const dialect = dialectOf({ error: { retryAfterMs: 7_000 } });
    const limited = { status: 403, headers: {}, text: 'REQUEST_LIMIT_EXCEEDED' };

    expect(toError({ operation: 'x', kind: 'read' }, limited, dialect).retryAfterMs).toBe(7_000);
    expect(errorOf('{}', {}, 503).retryAfterMs).toBeUndefined();
  });
});
