import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

/** Starts a gateway before a platform whose cases have these digits for ids, as a JSON number. */
async function gatewayWith(digits: string) {
  const platform = await scriptPlatform(() => ({
    status: 202,
    body: `{"idCase": ${digits}, "activity": {"cdActivity": ${digits}, "name": "Approve"}}`,
  }));
  const gateway = await startGateway(platform.env);
  return { ...gateway, seen: platform.seen };
}

// The limits at which a double rounds, and the limits of 64 bits.
it.each([
  '9007199254740991',
  '9007199254740992',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775807',
])(
  'the int64 %s keeps every digit in what startCase and executeActivity give and take',
  async (digits) => {
    const { dataOf, seen } = await gatewayWith(digits);
    const payload = '{ case { caseId activity { activityId } record } }';

    const answers = [await dataOf(`mutation { startCase(input: { process: "p" }) ${payload} }`)];
    for (const id of [digits, `"${digits}"`]) {
      const input = `{ caseId: ${id}, activityId: ${id} }`;
      answers.push(await dataOf(`mutation { executeActivity(input: ${input}) ${payload} }`));
    }

    for (const answer of answers) {
      expect((answer.startCase ?? answer.executeActivity).case).toEqual({
        caseId: digits,
        activity: { activityId: digits },
        record: expect.objectContaining({
          idCase: expect.toSatisfy((id) => String(id) === digits),
        }),
      });
    }
    const path = `/v1.0/cases/${digits}/activities/${digits}/execute`;
    expect(seen.slice(1).map(({ url }) => url)).toEqual([path, path]);
  },
);

describe('a number in a document', () => {
  const create = async (literal: string) => {
    const { execute, seen } = await gatewayWith('1');
    const { errors } = await execute(
      `mutation { createInstance(input: { formId: "f", values: { amount: ${literal} } }) { __typename } }`,
    );
    return { errors, bodies: seen.map(({ body }) => JSON.parse(body)) };
  };

  it.each([
    '1234567890123456.789',
    '9007199254740993.0',
    '9007199254740993',
    '1e400',
    '0.12345678901234567890',
  ])('is rejected where a JSON number would round it: %s', async (literal) => {
    const { errors, bodies } = await create(literal);

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(bodies).toEqual([]);
  });

  it.each([
    ['18650.00', 18650],
    ['-0.1', -0.1],
    ['1.5e3', 1500],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['1234567890.12345', 1234567890.12345],
  ])('is passed on unchanged where a JSON number can hold it: %s', async (literal, amount) => {
    expect((await create(literal)).bodies).toEqual([{ values: { amount } }]);
  });
});
