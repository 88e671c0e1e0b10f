import { describe, expect, it } from 'vitest';

import { anExpense } from '../operations/instances.ts';
import { openCalls } from './support.ts';

const EXPENSES = '/forms/expense/instances';

describe('createFormIntance', () => {
  it('returns the created instance with all fields, links and Location', async () => {
    const call = await openCalls();
    const { status, headers, body } = await call('POST', EXPENSES, anExpense());

    expect([status, headers.get('location')]).toEqual([201, '/v1.0/forms/expense/instances/41']);
    expect(body).toMatchObject({ idInstance: 41, idForm: 'expense' });
    expect(body.values).toEqual({
      ...anExpense().values,
      purchaseRequest: null,
      reimbursed: null,
      notes: null,
    });
    expect((await call('GET', `${EXPENSES}/41`)).body).toEqual(body);
  });

  it('never reuses an id, even after a deletion', async () => {
    const call = await openCalls();
    await call('POST', EXPENSES, anExpense());
    await call('DELETE', `${EXPENSES}/41`);
    expect((await call('POST', EXPENSES, anExpense())).body.idInstance).toBe(42);
  });

  it('reports every invalid value', async () => {
    const call = await openCalls();
    const { status, body } = await call('POST', EXPENSES, {
      values: {
        amount: -1,
        category: 'fun',
        employee: 999,
        spentOn: '2026-02-30',
        colour: 'red',
        reimbursed: 1,
      },
    });
    expect([status, body.errorCode]).toEqual([400, 'INVALID_VALUES']);
    const fields = [
      'description',
      'amount',
      'category',
      'employee',
      'spentOn',
      'colour',
      'reimbursed',
    ];
    for (const field of fields) expect(body.message).toContain(`"${field}" `);
    expect(body.violations?.map(({ field }) => field).sort()).toEqual(fields.sort());
    expect(body.violations).toContainEqual({ field: 'amount', message: 'must be at least 0' });
  });

  it.each([
    ['text for a number', 'amount', '12'],
    ['a fraction for an integer', 'quantity', 1.5],
    ['a number beyond 64 bits', 'quantity', 2 ** 63],
    ['a number for a text', 'title', 7],
    ['a text that is too long', 'title', 'x'.repeat(121)],
    ['an empty text for a required field', 'title', ''],
    ['null for a required field', 'title', null],
    ['a date with a time', 'neededBy', '2026-01-31T00:00:00Z'],
    ['a date-time without an offset', 'createdAt', '2026-01-31T09:30:00'],
    ['a date-time on an invalid day', 'createdAt', '2026-02-30T09:30:00Z'],
    ['a text for a boolean', 'urgent', 'true'],
    ['a reference to nobody', 'requester', 0],
    ['a reference as a text', 'requester', '6'],
    ['an object', 'notes', {}],
    ['a name that every object has', '__proto__', {}],
  ])('rejects %s', async (_what, field, value) => {
    const call = await openCalls();
    const valid = { title: 'Lamps', amount: 1, quantity: 1, status: 'draft', requester: 6 };
    const body = JSON.stringify({ values: valid }).replace(
      '}',
      `,${JSON.stringify(field)}:${JSON.stringify(value)}}`,
    );
    const answer = await call('POST', '/forms/purchase-request/instances', body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'INVALID_VALUES']);
    expect(answer.body.message).toContain(`"${field}" `);
  });

  it('normalises a date-time to its instant', async () => {
    const call = await openCalls();
    const values = { title: 'Lamps', amount: 1, quantity: 1, status: 'draft', requester: 6 };
    const body = { values: { ...values, createdAt: '2026-01-31T09:30+02:00' } };
    const answer = await call('POST', '/forms/purchase-request/instances', body);
    expect(answer.body.values['createdAt']).toBe('2026-01-31T07:30:00.000Z');
  });
});

describe('updateFormIntance and updateValuesOfFormIntance', () => {
  const named = { values: { amount: 99.9 } };

  it('clears the missing fields by PUT unless the form requires them', async () => {
    const call = await openCalls();
    const { status, text } = await call('PUT', `${EXPENSES}/15`, named);
    const { values } = (await call('GET', `${EXPENSES}/15`)).body;
    expect([status, text]).toEqual([202, '']);
    expect(values).toMatchObject({
      description: 'Flight to Vienna for the seminar',
      amount: 99.9,
      employee: 7,
    });
    expect(values).toMatchObject({ purchaseRequest: null, reimbursed: null, notes: null });
  });

  it('changes only the given fields by PATCH', async () => {
    const call = await openCalls();
    const before = (await call('GET', `${EXPENSES}/15`)).body;
    const { status, text } = await call('PATCH', `${EXPENSES}/15`, {
      values: { amount: 99.9, notes: null },
    });
    const after = (await call('GET', `${EXPENSES}/15`)).body;
    expect([status, text]).toEqual([202, '']);
    expect(after).toEqual({ ...before, values: { ...before.values, amount: 99.9, notes: null } });
  });

  it.each(['PUT', 'PATCH'])('changes nothing by a %s with one invalid value', async (method) => {
    const call = await openCalls();
    const before = (await call('GET', `${EXPENSES}/15`)).body;
    const { status } = await call(method, `${EXPENSES}/15`, {
      values: { amount: 1, spentOn: 'yesterday' },
    });
    expect(status).toBe(400);
    expect((await call('GET', `${EXPENSES}/15`)).body).toEqual(before);
  });

  it('keeps a reference whose target does not exist', async () => {
    const call = await openCalls();
    expect((await call('DELETE', '/forms/employee/instances/7')).status).toBe(204);
    expect((await call('PATCH', `${EXPENSES}/15`, named)).status).toBe(202);
    expect((await call('GET', `${EXPENSES}/15`)).body.values).toMatchObject({
      amount: 99.9,
      employee: 7,
    });
  });

  it.each(['0', '-1', '007', '1.5', 'x', '9007199254740993', '9223372036854775808', '%20'])(
    'finds no instance "%s"',
    async (id) => {
      const call = await openCalls();
      expect((await call('GET', `${EXPENSES}/${id}`)).body).toMatchObject({
        errorCode: 'INSTANCE_NOT_FOUND',
      });
    },
  );
});
