import { expect, it } from 'vitest';

import { NAMED_ROWS } from '../../operations/index.ts';
import { codesOf, startWithRoles } from './support.ts';

/** A role lists the forms that it may look at. */
const refused = NAMED_ROWS.filter(([operation]) => operation !== 'getForms');

it('a role that may only read another form is refused each operation, without a call', async () => {
  const roles = { callers: { web: 'other' }, roles: { other: { forms: { employee: ['read'] } } } };
  const { ask, calls } = await startWithRoles({}, roles);

  for (const [operation, row] of refused) {
    const answer = await ask('web', row.query.replace(', KEY', '').replace(/"(NEW|CASE)"/, '"1"'));

    expect([operation, ...codesOf(answer).map(([code]) => code)]).toEqual([operation, 'FORBIDDEN']);
  }
  expect(calls).toEqual([]);
});
