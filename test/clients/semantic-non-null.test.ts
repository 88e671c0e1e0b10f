import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeFolder } from '../support/folder.ts';
import { runCommand } from '../support/run.ts';

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
  const { stdout } = await runCommand(['schema']);
  const folder = writeFolder({
    'relay.config.json': CONFIG,
    'schema.graphql': stdout,
    'src/titles.ts': QUERY,
    'src/__generated__/.gitkeep': '',
  });

  execFileSync(
    process.execPath,
    [join(import.meta.dirname, 'node_modules/relay-compiler/cli.js'), 'relay.config.json'],
    { cwd: folder, stdio: 'pipe' },
  );

  const types = readFileSync(join(folder, 'src/__generated__/titlesQuery.graphql.ts'), 'utf8');
  expect(types).toContain('readonly title: string;');
  expect(types).toContain('readonly name: string;');
  expect(types).toMatch(/readonly purchaseRequests: \{/);
  expect(types).toMatch(/readonly neededBy: .* \| null \| undefined;/);
  expect(types).toMatch(/readonly totalCount: number \| null \| undefined;/);
  expect(types).toMatch(/readonly supplier: \{\n[^}]*\} \| null \| undefined;/);
  expect(types).toMatch(/readonly can: \{\n[^}]*\} \| null \| undefined;/);
});
