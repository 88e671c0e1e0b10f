import { describe, expect, it } from 'vitest';

import { openSandbox, shareCalls } from './support.ts';

const call = shareCalls();
const parameter = (name: string, type: string, value: unknown) => ({ name, type, value });

describe('getParameters', () => {
  it('identifies a rule by component and version, though the component has hyphens', async () => {
    const { body } = await call('PUT', '/rules/discount-rate-eu-2.1/get-parameters');
    expect(body).toEqual({
      name: 'discount-rate-eu',
      version: '2.1',
      descriptiveName: 'Discount of a supplier in the European Union',
      parameters: [
        { name: 'amount', type: 'decimal' },
        { name: 'orderedOn', type: 'date' },
        { name: 'isPartner', type: 'boolean' },
      ],
    });
  });

  it.each(['get-parameters', 'execute'])(
    'responds with 400 and the specific code for each rule that %s cannot use',
    async (what) => {
      const codeOf = async (rule: string) => {
        const { status, body } = await call('PUT', `/rules/${rule}/${what}`, []);
        return [status, body.errorCode];
      };
      expect(await codeOf('approval-level-9.9')).toEqual([400, 'RULE_NOT_FOUND']);
      expect(await codeOf('approval-level-2.0')).toEqual([400, 'RULE_NOT_PUBLISHED']);
      expect(await codeOf('supplier-risk-1.0')).toEqual([400, 'RULE_NOT_PUBLISHED_FOR_REST']);
    },
  );
});

describe('execute', () => {
  it.each([
    [250, 0, 'nobody'],
    [250.01, 1, 'manager'],
    [5000.5, 2, 'director'],
  ])('returns the approval level of %d', async (amount, level, approver) => {
    const { body } = await call('PUT', '/rules/approval-level-1.0/execute', [
      parameter('amount', 'decimal', amount),
    ]);
    expect(body).toEqual([
      parameter('level', 'integer', level),
      parameter('approver', 'text', approver),
    ]);
  });

  it('computes with dates and leaves an output empty if the rule does', async () => {
    const path = '/rules/discount-rate-eu-2.1/execute';
    const amount = parameter('amount', 'decimal', 12_000);
    const orderedOn = parameter('orderedOn', 'date', '2026-01-15');
    const isPartner = parameter('isPartner', 'boolean', true);

    const undated = await call('PUT', path, [amount]);
    const dated = await call('PUT', path, [amount, orderedOn, isPartner]);

    expect(undated.body).toEqual([
      parameter('rate', 'decimal', 0.07),
      parameter('validUntil', 'date', null),
    ]);
    expect(dated.body).toEqual([
      parameter('rate', 'decimal', 0.08),
      parameter('validUntil', 'date', '2026-02-14'),
    ]);
  });

  it('responds with 500 without the cause, which the owner gets', async () => {
    const { as, answers } = await openSandbox();
    const call = await as();
    const body = [parameter('amount', 'decimal', 10), parameter('budget', 'decimal', 0)];
    const answer = await call('PUT', '/rules/budget-share-1.0/execute', body);
    expect([answer.status, answer.body]).toEqual([
      500,
      {
        message: 'An internal error occurred and the request could not be completed.',
        errorCode: 'INTERNAL_ERROR',
      },
    ]);
    expect(String(answers.at(-1)?.error)).toContain('budget-share-1.0');
  });

  it.each([
    ['a missing parameter', [], '"amount" is required'],
    ['a parameter without a value', [{ name: 'amount', type: 'decimal' }], '"amount" is required'],
    ['an unknown parameter', [parameter('colour', 'text', 'red')], '"colour" is not an input'],
    [
      'a value of the wrong type',
      [parameter('amount', 'decimal', 'x')],
      '"amount" must be a number',
    ],
    ['another type', [parameter('amount', 'text', 'x')], '"amount" is of type decimal'],
    [
      'a parameter given twice',
      [1, 2].map((value) => parameter('amount', 'decimal', value)),
      '"amount" is given twice',
    ],
    ['a parameter without a name', [{ value: 1 }], '"parameter 1" has no name'],
    ['what is no parameter', [7], '"parameter 1" has no name'],
    ['what is no list', { amount: 1 }, 'array of parameters'],
  ])('rejects %s and names it', async (_what, body, named) => {
    const answer = await call('PUT', '/rules/approval-level-1.0/execute', body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(named)]);
  });
});
