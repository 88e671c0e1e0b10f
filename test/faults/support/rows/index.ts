import { BODIES } from './bodies.ts';
import { BROKEN } from './broken.ts';
import { LOST } from './lost.ts';
import type { Row } from './row.ts';
import { STATUSES } from './statuses.ts';

/** The faults that one request each can show. All others have tests of their own. */
export const ROWS: readonly Row[] = [...LOST, ...BROKEN, ...BODIES, ...STATUSES];
