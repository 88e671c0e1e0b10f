import { describe, expect, it } from 'vitest';

import { shareCalls } from './support.ts';

const call = shareCalls();

const list = (form: string, parameters: Record<string, string>) =>
  call(
    'GET',
    `/forms/${form}/instances?${new URLSearchParams({ 'per-page': '100', ...parameters })}`,
  );

/** The ids that a search finds. */
async function find(form: string, search: string): Promise<readonly number[]> {
  const { status, body } = await list(form, { search });
  expect([status, body.errorCode]).toEqual([200, undefined]);
  return body.items.map(({ idInstance }) => idInstance);
}

describe('search', () => {
  it.each([
    ['employee', 'department=eq:finance', [2, 8]],
    ['employee', 'department=ne:procurement', [1, 2, 4, 5, 8, 9, 10, 11, 12]],
    ['employee', 'approvalLimit=gt:10000', [1, 2, 3]],
    ['employee', 'approvalLimit=ge:10000', [1, 2, 3, 4, 5]],
    ['employee', 'approvalLimit=lt:1000', [12]],
    ['employee', 'approvalLimit=le:1000', [8, 12]],
    ['employee', 'name=like:mar', [2]],
    ['employee', 'department=in:people|finance', [2, 8, 12]],
  ])('finds in %s by %s', async (form, search, ids) => {
    expect(await find(form, search)).toEqual(ids);
  });

  it.each([
    ['numbers as numbers', 'supplier', 'paymentDays=lt:15', [4, 7]],
    ['decimals by their value', 'supplier', 'rating=eq:4.60', [1]],
    ['integers of many digits', 'supplier', 'locationNumber=eq:4012345000016', [1]],
    ['dates as dates', 'employee', 'hiredOn=lt:2015-01-12', [1, 2]],
    [
      'date-times in any offset',
      'purchase-request',
      'createdAt=lt:2026-01-12T08:41:00%2B01:00',
      [1],
    ],
    ['date-times by the day in UTC', 'purchase-request', 'createdAt=eq:2026-01-12', [1]],
    [
      'the time from a day on',
      'purchase-request',
      'createdAt=ge:2026-01-13,createdAt=le:2026-01-15',
      [2],
    ],
    ['days among others', 'purchase-request', 'createdAt=in:2026-01-12|2026-01-15', [1, 2]],
    ['booleans', 'employee', 'active=eq:false', [12]],
    ['references by their idInstance', 'employee', 'manager=in:4|5', [9, 10, 11]],
    ['idInstance', 'expense', 'idInstance=in:7|3|999', [3, 7]],
    [
      'every criterion at once',
      'expense',
      'category=eq:travel,amount=gt:200,idInstance=ne:4',
      [14, 15],
    ],
  ])('compares %s', async (_what, form, search, ids) => {
    expect(await find(form, decodeURIComponent(search))).toEqual(ids);
  });

  it.each([
    ['anywhere, without a %', 'name=like:hel', [1]],
    ['at the start', 'name=like:p%', [10]],
    ['at the end', 'name=like:%AY', []],
    ['in the middle of a run', 'name=like:%a%z%', [7]],
    ['in any case, accents too', 'name=like:LUCÍA', [9]],
    ['with _ as itself', 'email=like:_', []],
  ])('matches patterns: %s', async (_what, search, ids) => {
    expect(await find('employee', search)).toEqual(ids);
  });

  it('matches an empty field with ne only', async () => {
    const all = await find('supplier', 'idInstance=ge:1');
    expect(await find('supplier', 'paymentDays=ge:0')).toEqual(all.slice(0, 11));
    expect(await find('supplier', 'paymentDays=ne:30')).toContain(12);
    expect(await find('supplier', 'locationNumber=in:0|1')).toEqual([]);
  });

  it('passes values as statement parameters', async () => {
    expect(await find('supplier', "name=eq:x' OR 1=1 --")).toEqual([]);
    expect(await find('supplier', 'name=like:%" OR "')).toEqual([]);
  });

  it.each([
    ['an unknown field', 'colour=eq:red', 'colour'],
    ['an unknown operator', 'name=is:x', '"is"'],
    ['an operator that every object has', 'name=constructor:x', 'constructor'],
    ['a criterion without an operator', 'name=x', 'name=x'],
    ['an invalid number', 'rating=gt:good', 'rating'],
    ['an invalid integer', 'paymentDays=eq:1.5', 'paymentDays'],
    ['an invalid boolean', 'active=eq:yes', 'active'],
    ['an unknown choice', 'country=eq:XX', 'XX'],
    ['one wrong value of many', 'idInstance=in:1|two', 'two'],
    ['like on a number', 'rating=like:4', 'rating'],
    ['a value cut by its comma', 'name=eq:Nowak, Marek', 'Marek'],
    ['more criteria than any list needs', Array(101).fill('rating=gt:1').join(','), '100'],
  ])('rejects %s and names it', async (_what, search, named) => {
    const { status, body } = await list('supplier', { search });
    expect([status, body.errorCode]).toEqual([400, 'INVALID_QUERY']);
    expect(body.message).toContain(named);
  });

  it('rejects a date that does not exist', async () => {
    const { status, body } = await list('employee', { search: 'hiredOn=gt:2026-02-30' });
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('"hiredOn": "2026-02-30" must be a date'),
    ]);
  });

  it.each([
    ['idForm=eq:expense', ['expense']],
    ['name=like:pl', ['employee', 'supplier']],
    ['description=like:%BOUGHT from%', ['supplier']],
    ['version=gt:3', ['expense', 'purchase-request']],
    ['idForm=in:employee|supplier,version=ne:2', ['employee']],
  ])('finds forms by %s', async (search, ids) => {
    const { body } = await call('GET', `/forms?${new URLSearchParams({ search })}`);
    expect(body.items.map(({ idForm }) => idForm)).toEqual(ids);
  });
});
