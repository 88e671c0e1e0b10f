import { afterAll, beforeAll, expect, it } from 'vitest';

import { NAMED_ROWS } from '../../operations/index.ts';
import { type Ask, codesOf, startWithRoles } from './support.ts';

let ask: Ask;
let calls: string[];
let close: () => Promise<unknown>;
beforeAll(async () => {
  const roles = { callers: { web: 'other' }, roles: { other: { forms: { employee: ['read'] } } } };
  ({ ask, calls, close } = await startWithRoles({}, roles));
});
afterAll(() => close());

/** A role lists the forms that it may look at. */
const refused = NAMED_ROWS.filter(([operation]) => operation !== 'getForms');

it.each(refused)('a role that may only read another form is refused %s, without a call', async (_operation, row) => {
  const answer = await ask('web', row.query.replace(', KEY', '').replace(/"(NEW|CASE)"/, '"1"'));

  expect(codesOf(answer).map(([code]) => code)).toEqual(['FORBIDDEN']);
  expect(calls).toEqual([]);
});
