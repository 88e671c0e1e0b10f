import { expect, it } from 'vitest';

import { OPERATIONS } from '../../../src/upstream/operations.ts';
import { VERBS } from '../../../src/upstream/records.ts';
import { callerKeys } from '../../identity/support.ts';
import { fill } from '../../operations/fill.ts';
import { NAMED_ROWS } from '../../operations/index.ts';
import type { Row } from '../../operations/row.ts';
import { startWithRoles } from './support.ts';

/** Nothing is created: a refused role needs no existing record. */
const fillRow = (row: Row) =>
  fill(row.query.replace(', KEY', ''), row, async () => '{"idOfNone":1}');

/** Asks for these operations, each as its own caller, and expects refusals without a call. */
async function expectRefusals(
  rows: typeof NAMED_ROWS,
  { ask, calls }: Awaited<ReturnType<typeof startWithRoles>>,
  callerOf = (_operation: string) => 'web',
) {
  for (const [operation, row] of rows) {
    const { errors } = await ask(callerOf(operation), await fillRow(row));
    expect(errors, operation).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  }
  expect(calls).toEqual([]);
}

it('a role that may only read another form is refused each operation, without a call', async () => {
  const roles = { callers: { web: 'other' }, roles: { other: { forms: { employee: ['read'] } } } };
  // A role lists the forms that it may look at.
  const rows = NAMED_ROWS.filter(([operation]) => operation !== 'getForms');

  await expectRefusals(rows, await startWithRoles({}, roles));
});

it('no change is made by a role that may read everything', async () => {
  const roles = { callers: { web: 'reader' }, roles: { reader: { forms: { '*': ['read'] } } } };
  const changes = NAMED_ROWS.filter(([operation]) => OPERATIONS[operation].is === 'change');

  await expectRefusals(changes, await startWithRoles({}, roles));
});

it('a role that may do all but what an operation needs is refused it, without a call', async () => {
  const names = NAMED_ROWS.map(([operation]) => operation);
  const roles = Object.fromEntries(
    NAMED_ROWS.map(([operation, { args }]) => [operation, permissionsWithout(operation, args)]),
  );
  const callers = Object.fromEntries(names.map((name) => [name, name]));
  const gateway = await startWithRoles(callerKeys(...names), { callers, roles });

  await expectRefusals(NAMED_ROWS, gateway, (operation) => operation);
});

/** Returns all permissions except the one that an operation needs. */
function permissionsWithout(operation: keyof typeof OPERATIONS, args: object) {
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
