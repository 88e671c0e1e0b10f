import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SETTINGS } from '../../src/settings/index.ts';
import type { Setting } from '../../src/settings/setting.ts';
import { readDialect } from '../../src/upstream/dialect.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
const README = read('README.md');
const SCRIPTS = Object.keys(JSON.parse(read('package.json')).scripts);

const settings = Object.entries<Setting<unknown>>(SETTINGS);
const examples = [...README.matchAll(/```graphql\n([^`]+)```\n[\s\S]*?```json\n([^`]+)```/g)];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ TYPED_GRAPH: 'on' });
});
afterAll(() => gateway.close());

describe('README', () => {
  it('shows a first query and more', () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.each(examples.map(([, query = '', answer = '']) => ({ query, answer })))(
    'tells the answer of $query',
    async ({ query, answer }) => {
      const { status, ...got } = await gateway.ask(query);

      expect(status).toBe(200);
      expect(got).toEqual(JSON.parse(answer));
    },
  );

  it.each(settings)('has a row for the setting %s', (name, { fallback, unit, about, isSecret }) => {
    const cells = [
      `\`${name}\``,
      fallback === undefined ? '' : `\`${fallback}\``,
      [unit, isSecret ? 'secret' : ''].filter(Boolean).join(', '),
      about,
    ];

    expect(README).toContain(`\n| ${cells.join(' | ')} |`);
  });

  it('shows a dialect that is one', () => {
    const [, dialect = ''] = /```json dialect\n([^`]+)```/.exec(README) ?? [];

    expect(readDialect(JSON.parse(dialect))).toHaveProperty('dialect');
  });

  it('names no npm script that does not exist', () => {
    const named = [...README.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script]) => script);

    expect(SCRIPTS).toEqual(expect.arrayContaining(named));
  });

  it('links to files that exist', () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, file = '']) => file);

    expect(links.map((file) => read(file).length).every((length) => length > 0)).toBe(true);
  });
});

describe('.env.example', () => {
  it('names every setting with its default, and no other', () => {
    const lines = read('.env.example')
      .split('\n')
      .filter((line) => /^# [A-Z_]+=/.test(line));

    expect(lines).toEqual(settings.map(([name, { fallback }]) => `# ${name}=${fallback ?? ''}`));
  });
});
