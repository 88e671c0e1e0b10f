import { describe, expect, it } from 'vitest';

import { readDialect } from '../../src/upstream/dialect.ts';
import { dialectOf } from './support/open.ts';

const problemsOf = (file: unknown) => {
  const reading = readDialect(file);
  return 'problems' in reading ? reading.problems : [];
};

describe('the dialect', () => {
  it('keeps the defaults of everything that a file omits, also within a section', () => {
    const reading = readDialect({ list: { maxPageSize: 20 }, search: { operators: { LIKE: null } } });

    const { list, search, ...others } = dialectOf();
    const operators = { ...search.operators, LIKE: null };
    expect(reading).toEqual({
      value: { ...others, list: { ...list, maxPageSize: 20 }, search: { ...search, operators } },
    });
  });

  it.each([
    [{ lists: {} }, /^the whole: .*"lists"/],
    [{ list: { itemz: ['rows'] } }, /^list: .*"itemz"/],
    [{ search: { operators: { ILIKE: 'ilike' } } }, /^search\.operators: .*"ILIKE"/],
    [{ list: { items: [] } }, /^list\.items: /],
    [{ list: { items: 'rows' } }, /^list\.items: /],
    [{ list: { items: ['rows', ''] } }, /^list\.items\.1: /],
    [{ list: { maxPageSize: 0 } }, /^list\.maxPageSize: /],
    [{ list: { maxPageSize: 1.5 } }, /^list\.maxPageSize: /],
    [{ instance: { written: 'xml' } }, /^instance\.written: /],
    [{ case: { process: '' } }, /^case\.process: /],
    [{ search: { separator: '' } }, /^search\.separator: /],
    [{ token: { assumedLifetimeMs: 0 } }, /^token\.assumedLifetimeMs: /],
    [{ error: { retryAfterMs: -1 } }, /^error\.retryAfterMs: /],
    [{ error: null }, /^error: /],
    [[], /^the whole: /],
    ['dialect', /^the whole: /],
    [null, /^the whole: /],
  ])('rejects %j, with its place', (file, problem) => {
    expect(problemsOf(file)).toEqual([expect.stringMatching(problem)]);
  });

  it('reports every problem at once', () => {
    const problems = problemsOf({ list: { maxPageSize: 0 }, form: { naam: ['x'] }, search: { separator: '' } });

    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['list.maxPageSize', 'form', 'search.separator']);
  });
});
