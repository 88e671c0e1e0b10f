import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import { toError } from '../../src/upstream/answer.ts';
import { findContradiction } from '../../src/upstream/error-body.ts';
import { measureCpu } from '../support/processor-time.ts';
import { dialectOf } from './support/open.ts';

const errorOf = (text: string, headers: Readonly<Record<string, string>> = {}, status = 400) =>
  toError({ operation: 'startCase', kind: 'write' }, { status, headers, text }, dialectOf());

describe('an error body', () => {
  it.each(['', 'null', '[]', '"text"', '<html>', '{', '{"message":{},"errorCode":[]}'])(
    'may be %j, without either',
    (text) => {
      expect(errorOf(text)).toMatchObject({
        failure: 'rejected',
        reason: undefined,
        errorCode: undefined,
      });
    },
  );

  it.each([
    '{"message":"no form REQUEST_LIMIT_EXCEEDED"}',
    'You may not read /forms/REQUEST_LIMIT_EXCEEDED',
    '<html><b>REQUEST_LIMIT_EXCEEDED</b></html>',
  ])('is no word of the request limit where it is %j: the client may have written that', (text) => {
    expect(errorOf(text, {}, 403).failure).toBe('forbidden');
  });

  it.each([
    ['below eleven objects', `${'{"error":'.repeat(11)}{"message":"late"}${'}'.repeat(11)}`],
    ['behind a thousand objects', `{"errors":[${'{},'.repeat(1_000)}{"message":"late"}]}`],
  ])('is not searched %s', (_where, text) => {
    expect(errorOf(text).reason).not.toBe('late');
  });

  it('is truncated when long', () => {
    const error = errorOf(
      JSON.stringify({ message: 'm'.repeat(5_000), errorCode: 'c'.repeat(5_000) }),
    );

    expect([error.reason?.length, error.errorCode?.length]).toEqual([1_000, 100]);
  });

  it.each([' ', '\t', '\n', '0', '0 ', 'fail', 'ok ', '/1', '(1', '[', 'a.', 'E_'])(
    'is read in little time, however often it repeats %j',
    async (part) => {
      const text = `${part.repeat(60_000 / part.length)}~`;
      const names = ['errorCode', 'code', 'error', 'result', 'status', 'success', 'errorText'];
      const bodies = names.map((name) => ({ id: 1, [name]: text }));

      const { cpuMs } = await measureCpu(async () => {
        for (const body of bodies) {
          errorOf(JSON.stringify(body));
          findContradiction(body, dialectOf().error);
        }
      });

      expect(cpuMs).toBeLessThan(500);
    },
  );

  it('is not part of the error’s own message, nor are its headers', () => {
    const error = errorOf('{"message":"secret"}', {
      authorization: 'secret',
      location: 'http://secret',
    });

    expect(error.message).toBe('startCase: rejected (HTTP 400)');
    expect(JSON.stringify({ ...error, reason: undefined })).not.toContain('secret');
  });
});

describe('the error in a body', () => {
  const LOW = [{ field: 'amount', message: 'too low' }];
  const NAMED = { errorCode: 'E', message: 'locked' };
  const FOUND = { errorCode: 'E', reason: 'locked' };
  const HOLDERS =
    'error errors Error Errors odata.error fault Fault exception detail details messages';

  it.each<[string, unknown, object]>([
    ['flat', { ...NAMED, extra: 1 }, FOUND],
    ['in an array', [NAMED], FOUND],
    ...HOLDERS.split(' ').map((name): [string, object, object] => [
      `under ${name}`,
      { [name]: [NAMED, { message: 'second' }] },
      FOUND,
    ]),
    ['of SOAP', { fault: { faultstring: 'locked', detail: { errorcode: 'E' } } }, FOUND],
    [
      'of RFC 9457',
      { title: 'Bad Request', status: 400, detail: 'low', errors: { amount: ['too low'] } },
      { reason: 'low', fields: LOW },
    ],
    [
      'of RFC 9457 with a list',
      { title: 'Bad Request', 'invalid-params': [{ name: 'amount', reason: 'too low' }] },
      { reason: 'Bad Request', fields: LOW },
    ],
    [
      'of RFC 9457 with pointers',
      { title: 'Bad Request', errors: [{ pointer: '#/amount', detail: 'too low' }] },
      { reason: 'Bad Request', fields: LOW },
    ],
    [
      'of JSON:API',
      { errors: [{ status: '422', detail: 'too low', source: { pointer: '/data/amount' } }] },
      { reason: 'too low', fields: LOW },
    ],
    ['of OAuth', { error: 'invalid_grant', error_description: 'no' }, { reason: 'no' }],
    [
      'of Camunda',
      { type: 'InvalidRequestException', message: 'no', code: 0 },
      { errorCode: undefined, reason: 'no' },
    ],
    [
      'of Salesforce',
      [{ message: 'amount: too low', errorCode: 'E', fields: ['amount'] }],
      { errorCode: 'E', fields: [{ field: 'amount', message: 'amount: too low' }] },
    ],
    [
      'of Google',
      {
        error: {
          code: 400,
          message: 'no',
          details: [{ field: 'amount', description: 'too low' }],
        },
      },
      { errorCode: undefined, reason: 'no', fields: LOW },
    ],
    [
      'of Django',
      { amount: ['too low'], title: ['x', 'y'] },
      { fields: [...LOW, { field: 'title', message: 'x' }] },
    ],
    ['of FastAPI', { detail: [{ loc: ['body', 'amount'], msg: 'too low' }] }, { fields: LOW }],
    ['of Frappe', { _server_messages: '["{\\"message\\":\\"low\\"}"]' }, { reason: 'low' }],
    ['of Spring', { status: 400, error: 'Bad Request', path: '/x' }, { reason: 'Bad Request' }],
    [
      'of Mongoose',
      { message: 'no', errors: { amount: { kind: 'min', message: 'too low' } } },
      { reason: 'no', fields: LOW },
    ],
    ['of .NET', { Message: 'locked', ModelState: { amount: ['too low'] } }, { reason: 'locked' }],
    ['with a list of texts', { message: 'Invalid', errors: ['too low'] }, { reason: 'Invalid' }],
    ['of texts alone', { errors: ['too low'] }, { reason: 'too low' }],
  ])('is found %s', (_where, body, expected) => {
    expect(errorOf(JSON.stringify(body))).toMatchObject({
      failure: 'rejected',
      fields: [],
      ...expected,
    });
  });

  const LIMIT = 'REQUEST_LIMIT_EXCEEDED';

  it.each<unknown>([
    { errorCode: LIMIT },
    { error: LIMIT },
    { errors: [{ code: 'OTHER' }, { code: LIMIT }] },
    { fault: { detail: { errorcode: LIMIT } } },
    LIMIT,
  ])('is the request limit, with a pause, where it is %j', (body) => {
    const headers = { 'retry-after': '3600' };

    expect(errorOf(JSON.stringify(body), headers, 403)).toMatchObject({
      failure: 'rate-limited',
      errorCode: LIMIT,
      retryAfterMs: 3_600_000,
    });
  });

  it.each<[string, string]>([
    [
      '10,000 fields',
      JSON.stringify({ errors: Array(10_000).fill({ field: 'f'.repeat(2_000), message: 'm' }) }),
    ],
    ['10,000 errors', JSON.stringify(Array(10_000).fill({ errors: { a: 'x', b: 'y' } }))],
    ['errors in errors', `${'{"error":'.repeat(120)}{}${'}'.repeat(120)}`],
    [
      'texts in texts',
      JSON.stringify({
        message: Array(12)
          .fill(0)
          .reduce((text) => JSON.stringify([text]), 'x'),
      }),
    ],
    ['a megabyte', JSON.stringify({ message: 'm', errorCode: 'E', rest: 'r'.repeat(1_000_000) })],
  ])('is bounded where it has %s', (_what, text) => {
    const { fields, reason = '', errorCode = '' } = errorOf(text);

    expect(fields.length).toBeLessThanOrEqual(50);
    expect(fields.every(({ field, message }) => field.length + message.length <= 2_000)).toBe(true);
    expect(reason.length + errorCode.length).toBeLessThanOrEqual(1_100);
  });

  it('is read from any JSON without a failure of the reader', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(errorOf(text)).toBeInstanceOf(UpstreamError);
      }),
    );
  });
});

describe('Retry-After', () => {
  const LIMIT = '{"errorCode":"REQUEST_LIMIT_EXCEEDED"}';

  it.each([
    ['5', 5_000],
    ['0', 0],
    ['86400', 3_600_000],
    ['9'.repeat(400), 3_600_000],
    ['-5', 1_000],
    ['Wed, 21 Oct 2099 07:28:00 GMT', 3_600_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 1_000],
    ['soon', 1_000],
  ])('of %s makes callers wait %i ms', (header, waitMs) => {
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
    const headers = {
      'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT',
      date: 'Wed, 21 Oct 2015 07:28:00 GMT',
    };

    expect(errorOf('{}', headers, 503).retryAfterMs).toBe(30_000);
  });

  it('comes from the dialect if it is absent and the limit is exceeded, else it is undefined', () => {
    const dialect = dialectOf({ error: { retryAfterMs: 7_000 } });
    const limited = { status: 403, headers: {}, text: 'REQUEST_LIMIT_EXCEEDED' };

    expect(toError({ operation: 'x', kind: 'read' }, limited, dialect).retryAfterMs).toBe(7_000);
    expect(errorOf('{}', {}, 503).retryAfterMs).toBeUndefined();
  });
});
