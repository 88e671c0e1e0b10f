import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { formatJson, parseJson } from '../../sandbox/json.ts';
import { shareCalls } from './support.ts';

const call = shareCalls();
const REQUESTS = '/forms/purchase-request/instances';
const request = (quantity: bigint | string) =>
  `{"values":{"title":"Fuses","amount":0.1,"quantity":${quantity},"status":"draft","requester":6}}`;

describe('digits', () => {
  it.each([9007199254740993n, 9223372036854775807n])(
    'of the integer %s are kept in an instance, a list and a search',
    async (quantity) => {
      const { text: created } = await call('POST', REQUESTS, request(quantity));
      await call('POST', REQUESTS, request(quantity - 1n));

      const { text } = await call('GET', `${REQUESTS}?search=quantity=eq:${quantity}`);
      for (const found of [created, text])
        expect(found.match(/"quantity":\d+/g)).toEqual([`"quantity":${quantity}`]);
    },
  );

  it.each(['0.12345678901234567890', '1e400', '9'.repeat(60)])(
    'of %s are not silently rounded',
    async (amount) => {
      const { status } = await call('POST', REQUESTS, request('1').replace('0.1', amount));
      expect(status).toBe(400);
    },
  );

  it('of any int64 survive reading and writing', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(formatJson(parseJson(`[${value}]`))).toBe(`[${value}]`);
      }),
    );
  });

  it('of any double survive reading and writing', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseJson(JSON.stringify(value))).toEqual(
          JSON.parse(JSON.stringify(value), bigIntegers),
        );
      }),
    );
  });
});

/** JSON writes a double like 1e20 as an integer, which is read as one. */
const bigIntegers = (_name: string, value: unknown, { source = '' }: { source?: string } = {}) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? BigInt(source)
    : value;
