import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { GATEWAY_LIMITS } from '../src/config/config.ts';
import { MAX_ITEMS } from '../src/features/bulk/run.ts';
import { LIMITS, MAX_DEPTH } from '../src/graphql/admission/limits.ts';
import { shareGateway, startGateway } from './support/gateway.ts';
import { writeDialect } from './support/write-dialect.ts';

const ROOT = join(import.meta.dirname, '..');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(join(ROOT, file), 'utf8'),
}));
const everything = documents.map(({ text }) => text).join('\n');

const examples = [...everything.matchAll(/```graphql\n([^`]+)```\n\n```json\n([^`]+)```/g)].map(
  ([, query = '', answer = '']) => ({ query, answer }),
);
const dialects = [...everything.matchAll(/```json dialect\n([^`]+)```/g)].map(
  ([, dialect = '']) => dialect,
);

const gateway = shareGateway({ TYPED_FORMS: '*' });

describe('the documentation', () => {
  it('shows a response below each query', () => {
    expect(examples).toHaveLength(everything.split('```graphql\n').length - 1);
  });

  it.each(examples)('shows the actual response of $query', async ({ query, answer }) => {
    const { status, ...got } = await gateway.execute(query);

    expect(status).toBe(200);
    expect(got).toEqual(JSON.parse(answer));
  });

  it.each(dialects)('shows a dialect that a gateway starts with: %s', async (dialect) => {
    await startGateway({ UPSTREAM_DIALECT: writeDialect(JSON.parse(dialect)) });
  });

  it.each(documents)('links only to existing files and headings in $file', ({ file, text }) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)]*)\)/g)].map(
      ([, path = '', heading = '']) => ({
        path: join(ROOT, dirname(file), path || basename(file)),
        heading,
      }),
    );

    expect(
      links.filter(({ path, heading }) => !existsSync(path) || !hasHeading(path, heading)),
    ).toEqual([]);
  });

  it('has the limits of the code in the page of limits', () => {
    const page = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8');
    const { tokens, selections, rootFields, fields, answerLength, errors } = LIMITS;
    const { maxConcurrentRequests, lateMs } = GATEWAY_LIMITS;

    for (const limit of [
      ...[tokens, selections, rootFields, fields, answerLength, errors],
      ...[MAX_ITEMS, MAX_DEPTH, maxConcurrentRequests, lateMs],
    ]) {
      const number = limit.toLocaleString('en-US');
      expect(page).toMatch(new RegExp(`(?<![\\d,])${number}(?![\\d,])`));
    }
  });

  it('has the page and the heading that each alert names', () => {
    const alerts = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
    const links = [...alerts.matchAll(/runbook_url: \S+\/(docs\/[^#\s]+)#?(\S*)/g)];

    expect(links).toHaveLength(alerts.split('- alert:').length - 1);
    expect(
      links.filter(([, page = '', heading = '']) => !hasHeading(join(ROOT, page), heading)),
    ).toEqual([]);
  });
});

/** Whether a document has the heading that a link names, as GitHub makes names of headings. */
function hasHeading(path: string, name: string): boolean {
  if (name === '') return true;
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].some(([, heading = '']) => nameOf(heading) === name);
}

const nameOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
