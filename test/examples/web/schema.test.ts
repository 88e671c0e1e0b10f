import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { compareSchemas } from '../../../src/graphql/schema-diff.ts';
import { startGateway } from '../../support/gateway.ts';

const FILE = join(import.meta.dirname, '../../../examples/web/schema.graphql');

it('the web client’s types match the gateway’s schema (`npm run generate` updates them)', async () => {
  const gateway = await startGateway({ TYPED_FORMS: '*' });
  onTestFinished(gateway.close);
  const served = await fetch(`${gateway.url}/schema.graphql`);

  const changes = await compareSchemas(readFileSync(FILE, 'utf8'), await served.text());

  expect(changes.filter(({ severity }) => severity !== 'safe')).toEqual([]);
});
