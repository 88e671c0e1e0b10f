import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { compileRelay } from './page.ts';

const CONFIG = {
  src: './src',
  schema: './schema.graphql',
  language: 'typescript',
  artifactDirectory: './src/__generated__',
};
const QUERY = `import { graphql } from 'relay-runtime';
export const query = graphql\`
  query titlesQuery @throwOnFieldError {
    purchaseRequests(first: 1) {
      totalCount
      nodes { title neededBy supplier { name } can { update } }
    }
  }
\`;
`;

it('Relay’s types have no null where the schema says that null comes with an error alone', async () => {
  const folder = writeFolder({
    'relay.config.json': CONFIG,
    'schema.graphql': readFileSync(join(inject('page'), 'schema.graphql'), 'utf8'),
    'src/titles.ts': QUERY,
    'src/__generated__/.gitkeep': '',
  });

  await compileRelay(folder);

  const types = readFileSync(join(folder, 'src/__generated__/titlesQuery.graphql.ts'), 'utf8');
  expect(types).toContain('readonly title: string;');
  expect(types).toContain('readonly name: string;');
  expect(types).toMatch(/readonly purchaseRequests: \{/);
  expect(types).toMatch(/readonly neededBy: .* \| null \| undefined;/);
  expect(types).toMatch(/readonly totalCount: number \| null \| undefined;/);
  expect(types).toMatch(/readonly supplier: \{\n[^}]*\} \| null \| undefined;/);
  expect(types).toMatch(/readonly can: \{\n[^}]*\} \| null \| undefined;/);
});
