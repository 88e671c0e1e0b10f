import { describe, expect, it } from 'vitest';

import { startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

/** The limits at which a double rounds, and the limits of 64 bits. */
const DIGITS = [
  ...['9007199254740991', '9007199254740992', '9007199254740993'],
  ...['-9007199254740991', '-9007199254740992', '-9007199254740993'],
  ...['9223372036854775807', '-9223372036854775807'],
];

const START =
  'mutation { startCase(input: { process: "p" }) { case { caseId activity { activityId } record } } }';
const executeActivity = (caseId: string, activityId: string) =>
  `executeActivity(input: { caseId: ${caseId}, activityId: ${activityId} }) { case { caseId activity { activityId } } }`;

/** A platform on which every case has these digits for its ids, written as a JSON number. */
async function gatewayWith(digits: string) {
  const platform = await scriptPlatform(() => ({
    status: 202,
    body: `{"idCase": ${digits}, "activity": {"cdActivity": ${digits}, "name": "Approve"}}`,
  }));
  const gateway = await startGateway(platform.env);
  return { ...gateway, seen: platform.seen };
}

it.each(DIGITS)(
  'the int64 %s keeps every digit in what startCase and executeActivity give and take',
  async (digits) => {
    const { execute, seen } = await gatewayWith(digits);

    const { data } = await execute(START);
    const answers = [];
    for (const literal of [digits, `"${digits}"`]) {
      answers.push((await execute(`mutation { ${executeActivity(literal, literal)} }`)).data);
    }

    expect(data.startCase.case).toEqual({
      caseId: digits,
      activity: { activityId: digits },
      record: expect.objectContaining({ idCase: expect.toSatisfy((id) => String(id) === digits) }),
    });
    const path = `/v1.0/cases/${digits}/activities/${digits}/execute`;
    expect(seen.slice(1).map(({ url }) => url)).toEqual([path, path]);
    expect(answers.map(({ executeActivity: { case: found } }) => found.caseId)).toEqual([
      digits,
      digits,
    ]);
  },
);

describe('a number in a document', () => {
  const create = (literal: string) =>
    `mutation { createInstance(input: { formId: "f", values: { amount: ${literal} } }) { instance { id } } }`;

  it.each([
    '1234567890123456.789',
    '9007199254740993.0',
    '9007199254740993',
    '1e400',
    '0.12345678901234567890',
  ])('is rejected where a JSON number would round it: %s', async (literal) => {
    const { execute, seen } = await gatewayWith('1');

    const { errors } = await execute(create(literal));

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(seen).toEqual([]);
  });

  it.each([
    ['18650.00', 18650],
    ['-0.1', -0.1],
    ['1.5e3', 1500],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['1234567890.12345', 1234567890.12345],
  ])('is passed on unchanged where a JSON number can hold it: %s', async (literal, amount) => {
    const { execute, seen } = await gatewayWith('1');

    await execute(create(literal));

    expect(JSON.parse(seen.at(-1)?.body ?? '{}')).toEqual({ values: { amount } });
  });
});
