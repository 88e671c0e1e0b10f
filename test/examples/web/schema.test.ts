import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql';
import { expect, it } from 'vitest';

import { startGateway } from '../../support/gateway.ts';

const FILE = join(import.meta.dirname, '../../../examples/web/schema.graphql');

it('the web client’s types match the gateway’s schema (`npm run generate` updates them)', async () => {
  const gateway = await startGateway({ TYPED_FORMS: '*' });
  const served = await fetch(`${gateway.url}/schema.graphql`);

  const [before, after] = [buildSchema(readFileSync(FILE, 'utf8')), buildSchema(await served.text())];

  expect(findBreakingChanges(before, after)).toEqual([]);
  expect(findDangerousChanges(before, after)).toEqual([]);
});
