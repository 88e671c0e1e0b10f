import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../../.github/workflows');

describe.each(globSync('*.yml', { cwd: FOLDER }))('the workflow %s', (file) => {
  const {
    jobs,
    permissions,
  }: { jobs: Record<string, { uses?: string; steps?: { uses?: string }[] }>; permissions: object } =
    parse(readFileSync(join(FOLDER, file), 'utf8'));
  const used = Object.values(jobs).flatMap(({ uses, steps = [] }) => [
    uses,
    ...steps.map((step) => step.uses),
  ]);

  it('names every action by digest, and has no write permission outside a job', () => {
    const actions = used.filter((name) => name !== undefined && !name.startsWith('./'));

    expect(actions.filter((name) => !/@[0-9a-f]{40}$/.test(String(name)))).toEqual([]);
    expect(permissions).toEqual({ contents: 'read' });
  });
});
