import { join } from 'node:path';

import { writeFolder } from './folder.ts';

/** Writes a dialect's file, as `UPSTREAM_DIALECT` names one; it goes with the test. */
export const writeDialect = (dialect: object): string =>
  join(writeFolder({ 'dialect.json': dialect }), 'dialect.json');
