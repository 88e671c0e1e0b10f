import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startGateway, type TestGateway } from './support/gateway.ts';
import { writeDialect } from './support/write-dialect.ts';

const ROOT = join(import.meta.dirname, '..');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(join(ROOT, file), 'utf8'),
}));
const everything = documents.map(({ text }) => text).join('\n');

const examples = [...everything.matchAll(/```graphql\n([^`]+)```\n[\s\S]*?```json\n([^`]+)```/g)].map(
  ([, query = '', answer = '']) => ({ query, answer }),
);
const dialects = [...everything.matchAll(/```json dialect\n([^`]+)```/g)].map(([, dialect = '']) => dialect);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ TYPED_FORMS: '*' });
});
afterAll(() => gateway.close());

describe('the documents', () => {
  it.each(examples)('show the answer of $query', async ({ query, answer }) => {
    const { status, ...got } = await gateway.ask(query);

    expect(status).toBe(200);
    expect(got).toEqual(JSON.parse(answer));
  });

  it.each(dialects)('show a dialect that a gateway starts with: %s', async (dialect) => {
    const speaking = await startGateway({ UPSTREAM_DIALECT: writeDialect(JSON.parse(dialect)) });

    await speaking.close();
  });

  it.each(documents)('link to files that exist in $file', ({ file, text }) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);

    expect(links.filter((link) => !existsSync(join(ROOT, dirname(file), link)))).toEqual([]);
  });
});
