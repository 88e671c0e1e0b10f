import { describe, expect, it } from 'vitest';

import { tablesOf, toCsv } from '../../../playground/table.ts';

describe('a response as a table', () => {
  it('has a row for each object of a list, and a column for each leaf', () => {
    const nodes = [
      { id: '1', title: 'Desk', supplier: { name: 'Nord' }, tags: ['a', 'b'] },
      { id: '2', title: null, supplier: null, tags: [] },
    ];

    expect(tablesOf({ requests: { totalCount: 2, nodes } })).toEqual([
      {
        path: 'requests.nodes',
        columns: ['id', 'title', 'supplier.name', 'tags'],
        rows: [
          ['1', 'Desk', 'Nord', '["a","b"]'],
          ['2', '', '', '[]'],
        ],
      },
    ]);
  });

  it('is one for each list, and one row where there is no list', () => {
    expect(tablesOf({ a: [{ x: 1 }], b: { c: [{ y: true }] } }).map(({ path }) => path)).toEqual([
      'a',
      'b.c',
    ]);
    expect(tablesOf({ form: { id: '1' } })).toEqual([
      { path: 'data', columns: ['form.id'], rows: [['1']] },
    ]);
    expect(tablesOf(null)).toEqual([]);
  });

  it('is copied as CSV that a spreadsheet reads as text', () => {
    const [table] = tablesOf({ list: [{ a: 'x, "y"', b: '=1+1', c: '-5.5', d: 'two\nlines' }] });

    expect(table && toCsv(table)).toBe('a,b,c,d\r\n"x, ""y""",\'=1+1,-5.5,"two\nlines"\r\n');
  });
});
