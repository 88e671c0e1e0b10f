import { describe, expect, it } from 'vitest';

import { anExpense } from '../operations/instances.ts';
import { openCalls, shareCalls } from './support.ts';

const EXPENSES = '/forms/expense/instances';
const REQUESTS = '/forms/purchase-request/instances';
const A_REQUEST = { title: 'Lamps', amount: 1, quantity: 1, status: 'draft', requester: 6 };

/** A sandbox that no test changes. */
const call = shareCalls();

describe('createFormIntance', () => {
  it('returns the created instance with all fields, and Location, and never reuses an id', async () => {
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
    await call('DELETE', `${EXPENSES}/41`);
    expect((await call('POST', EXPENSES, anExpense())).body.idInstance).toBe(42);
  });

  it('reports every invalid value', async () => {
    const values = {
      amount: -1,
      category: 'fun',
      employee: 999,
      spentOn: '2026-02-30',
      colour: 'red',
      reimbursed: 1,
    };
    const { status, body } = await call('POST', EXPENSES, { values });

    expect([status, body.errorCode]).toEqual([400, 'INVALID_VALUES']);
    const fields = ['description', ...Object.keys(values)];
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
    ['a reference as a text', 'requester', '6'],
    ['a name that every object has', '__proto__', {}],
  ])('rejects %s', async (_what, field, value) => {
    const text = JSON.stringify({ values: A_REQUEST });
    const member = `${JSON.stringify(field)}:${JSON.stringify(value)}`;
    const { status, body } = await call('POST', REQUESTS, text.replace('}', `,${member}}`));

    expect([status, body.errorCode]).toEqual([400, 'INVALID_VALUES']);
    expect(body.message).toContain(`"${field}" `);
  });

  it('normalises a date-time to its instant', async () => {
    const call = await openCalls();
    const values = { ...A_REQUEST, createdAt: '2026-01-31T09:30+02:00' };
    const { body } = await call('POST', REQUESTS, { values });

    expect(body.values['createdAt']).toBe('2026-01-31T07:30:00.000Z');
  });
});

describe('updateFormIntance and updateValuesOfFormIntance', () => {
  /** Changes an expense, and returns the answer with the instance before and after. */
  async function change(method: string, values: object) {
    const call = await openCalls();
    const { body: before } = await call('GET', `${EXPENSES}/15`);
    const { status, text } = await call(method, `${EXPENSES}/15`, { values });
    return { status, text, before, after: (await call('GET', `${EXPENSES}/15`)).body };
  }

  it('clears the missing fields by PUT unless the form requires them', async () => {
    const { status, text, after } = await change('PUT', { amount: 99.9 });

    expect([status, text]).toEqual([202, '']);
    expect(after.values).toMatchObject({
      description: 'Flight to Vienna for the seminar',
      amount: 99.9,
      employee: 7,
      purchaseRequest: null,
      reimbursed: null,
      notes: null,
    });
  });

  it('changes only the given fields by PATCH', async () => {
    const changes = { amount: 99.9, notes: null };
    const { status, text, before, after } = await change('PATCH', changes);

    expect([status, text]).toEqual([202, '']);
    expect(after).toEqual({ ...before, values: { ...before.values, ...changes } });
  });

  it.each(['PUT', 'PATCH'])('changes nothing by a %s with one invalid value', async (method) => {
    const { status, before, after } = await change(method, { amount: 1, spentOn: 'yesterday' });

    expect(status).toBe(400);
    expect(after).toEqual(before);
  });

  it('keeps a reference whose target does not exist', async () => {
    const call = await openCalls();
    await call('DELETE', '/forms/employee/instances/7');
    const { status } = await call('PATCH', `${EXPENSES}/15`, { values: { amount: 99.9 } });

    expect(status).toBe(202);
    const { body } = await call('GET', `${EXPENSES}/15`);
    expect(body.values).toMatchObject({ amount: 99.9, employee: 7 });
  });
});

it.each(['0', '-1', '007', '1.5', 'x', '9007199254740993', '9223372036854775808', '%20'])(
  'no instance has the id "%s"',
  async (id) => {
    const { body } = await call('GET', `${EXPENSES}/${id}`);

    expect(body.errorCode).toBe('INSTANCE_NOT_FOUND');
  },
);

describe('links', () => {
  const link = (rel: string, path: string, ...methods: string[]) => ({
    rel,
    href: `/v1.0/forms/${path}`,
    methods,
  });

  it('of an instance lead to itself, to its form and to every instance it refers to, by field', async () => {
    expect((await call('GET', `${EXPENSES}/15`)).body.links).toEqual([
      link('self', 'expense/instances/15', 'GET', 'PUT', 'PATCH', 'DELETE'),
      link('form', 'expense', 'GET'),
      link('employee', 'employee/instances/7', 'GET', 'PUT', 'PATCH', 'DELETE'),
      link('purchaseRequest', 'purchase-request/instances/7', 'GET', 'PUT', 'PATCH', 'DELETE'),
    ]);
    const { links } = (await call('GET', '/forms/employee/instances/1')).body;
    expect(links.map(({ rel }) => rel)).toEqual(['self', 'form']);
  });

  it('list the methods that the caller may use, and no others', async () => {
    const clerk = await openCalls('clerk');

    expect((await clerk('GET', `${EXPENSES}/15`)).body.links).toEqual([
      link('self', 'expense/instances/15', 'GET', 'PUT', 'PATCH'),
      link('form', 'expense', 'GET'),
      link('employee', 'employee/instances/7'),
      link('purchaseRequest', 'purchase-request/instances/7', 'GET'),
    ]);
  });

  it('of a form lead to its instances, and show whether one may be created', async () => {
    const reader = await openCalls('reader');
    const [ofDemo, ofReader] = [
      await call('GET', '/forms/supplier'),
      await reader('GET', '/forms/supplier'),
    ];

    const self = link('self', 'supplier', 'GET');
    const instances = (...methods: string[]) =>
      link('instances', 'supplier/instances', 'GET', ...methods);
    expect(ofDemo.body.links).toEqual([self, instances('POST')]);
    expect(ofReader.body.links).toEqual([self, instances()]);
  });
});
