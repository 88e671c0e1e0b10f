import { assert, property } from 'fast-check';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';

import { typedSamples } from '../../../playground/samples/typed.ts';
import { tablesOf, toCsv } from '../../../playground/table.ts';
import { addSubscription } from '../../../src/features/live/subscription-type.ts';
import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from '../typed-graph/support/random-forms.ts';

it('the typed samples are valid against the schema, whatever the forms are', () => {
  assert(
    property(anyForms, (definitions) => {
      const { schema, forms } = composeSchema(definitions, { dialect: dialectOf() });
      const live = addSubscription(schema, { leastMs: 5_000, callsPerMinute: 300 });

      const samples = typedSamples(live);

      const count = (kind: string) => samples.filter((sample) => sample.kind === kind).length;
      expect([count('query'), count('subscription')]).toEqual([forms.length, forms.length]);
      // A form without fields has nothing to create.
      expect(count('mutation')).toBe(forms.filter(({ fields }) => fields.length > 0).length);
      expect(samples.flatMap(({ query }) => validate(live, parse(query)))).toEqual([]);
      const withoutLive = samples.filter(({ kind }) => kind !== 'subscription');
      expect(typedSamples(schema)).toEqual(withoutLive);
    }),
    { numRuns: 50 },
  );
});

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
    const tables = tablesOf({ a: [{ x: 1 }], b: { c: [{ y: true }] } });

    expect(tables.map(({ path }) => path)).toEqual(['a', 'b.c']);
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
