import type { OperationName as SandboxOperation } from '../../sandbox/index.ts';
import type { OperationName } from '../../src/upstream/operations.ts';
import { CASES } from './cases.ts';
import { FORMS } from './forms.ts';
import { INSTANCES } from './instances.ts';
import type { Row } from './row.ts';
import { RULES } from './rules.ts';

/**
 * A row for each operation but `getToken`, which has tests of its own: one that is missing does not
 * compile.
 */
export const ROWS: Readonly<Record<OperationName | Exclude<SandboxOperation, 'getToken'>, Row>> = {
  ...FORMS,
  ...INSTANCES,
  ...CASES,
  ...RULES,
};

/** The rows with their names, for `it.each`. */
export const NAMED_ROWS = Object.entries(ROWS) as readonly (readonly [OperationName, Row])[];
