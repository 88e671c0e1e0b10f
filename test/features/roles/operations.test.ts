import { expect, it } from 'vitest';

import { OPERATIONS } from '../../../src/upstream/operations.ts';
import { VERBS } from '../../../src/upstream/records.ts';
import { callerKeys } from '../../identity/support.ts';
import { fill } from '../../operations/fill.ts';
import { NAMED_ROWS } from '../../operations/index.ts';
import type { Row } from '../../operations/row.ts';
import { codesOf, startWithRoles } from './support.ts';

/** A role lists the forms that it may look at. */
const refused = NAMED_ROWS.filter(([operation]) => operation !== 'getForms');
/** Nothing is created: a refused role needs no existing record. */
const asked = (row: Row) => fill(row.query.replace(', KEY', ''), row, async () => '{"idOfNone":1}');

it('a role that may only read another form is refused each operation, without a call', async () => {
  const roles = { callers: { web: 'other' }, roles: { other: { forms: { employee: ['read'] } } } };
  const { ask, calls } = await startWithRoles({}, roles);

  for (const [operation, row] of refused) {
    const answer = await ask('web', await asked(row));

    expect([operation, ...codesOf(answer).map(([code]) => code)]).toEqual([operation, 'FORBIDDEN']);
  }
  expect(calls).toEqual([]);
});

/** All rights but the one that an operation needs. */
function rightsWithout(operation: keyof typeof OPERATIONS, args: object) {
  const need = OPERATIONS[operation].needs(args as never);
  const verbs =
    need.of === 'forms'
      ? VERBS.filter((verb) => need.verb !== 'look at' && verb !== need.verb)
      : VERBS;
  return {
    forms: { '*': verbs },
    processes: need.of === 'processes' ? [] : ['purchase-approval'],
    execute: need.of !== 'cases',
    attributes: true,
    rules: need.of === 'rules' ? [] : ['approval-level@1.0'],
  };
}

it('a role that may do all but what an operation needs is refused it, without a call', async () => {
  const names = NAMED_ROWS.map(([operation]) => operation);
  const roles = Object.fromEntries(
    NAMED_ROWS.map(([operation, { args }]) => [operation, rightsWithout(operation, args)]),
  );
  const callers = Object.fromEntries(names.map((name) => [name, name]));
  const { ask, calls } = await startWithRoles(callerKeys(...names), { callers, roles });

  for (const [operation, row] of NAMED_ROWS) {
    const answer = await ask(operation, await asked(row));

    expect([operation, ...codesOf(answer).map(([code]) => code)]).toEqual([operation, 'FORBIDDEN']);
  }
  expect(calls).toEqual([]);
});

it('no change is made by a role that may read everything', async () => {
  const roles = { callers: { web: 'reader' }, roles: { reader: { forms: { '*': ['read'] } } } };
  const { ask, calls } = await startWithRoles({}, roles);

  for (const [operation, row] of NAMED_ROWS.filter(([name]) => OPERATIONS[name].is === 'change')) {
    const answer = await ask('web', await asked(row));

    expect([operation, ...codesOf(answer).map(([code]) => code)]).toEqual([operation, 'FORBIDDEN']);
  }
  expect(calls).toEqual([]);
});
