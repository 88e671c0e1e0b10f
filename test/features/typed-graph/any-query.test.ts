import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { array, assert, asyncProperty, constantFrom, gen, type JsonValue, jsonValue, oneof } from 'fast-check';
import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';

import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from './support/random-forms.ts';
import { makeQuery } from './support/random-query.ts';

const ERRORS = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8');
/** The documented codes; that of an error which nobody foresaw is not among them. */
const CODES = [...ERRORS.matchAll(/^\| `([A-Z_]+)` \|/gm)]
  .map(([, code = '']) => code)
  .filter((code) => code !== 'INTERNAL_SERVER_ERROR');

/** What an instance may hold in a field, whatever the field's type. */
const anyValue = oneof(
  jsonValue({ maxDepth: 1 }),
  constantFrom<JsonValue>(1, 2, '3', 'a name', '2026-01-31', '2026-01-31T10:00:00', '12.50', true, null, ''),
);

it('any valid query over any definitions and instances returns data, or fails with a known code', async () => {
  const property = asyncProperty(
    anyForms,
    array(anyValue, { minLength: 1, maxLength: 20 }),
    gen(),
    async (forms, values, g) => {
      const definitions = forms.map(({ definition }) => definition as Definition);
      const { schema } = composeSchema(forms, { dialect: dialectOf() });
      const valuesOf = ({ fields }: Definition, instance: number) =>
        Object.fromEntries(namesIn(fields).map((name, index) => [name, values[(index + instance) % values.length]]));
      const platform = await startFormPlatform(definitions, { valuesOf });
      const gateway = await startGateway(platform.env);

      try {
        for (let count = 0; count < QUERIES; count++) {
          const { query, variables } = makeQuery(schema, g);
          expect(validate(schema, parse(query))).toEqual([]);

          const { status, errors = [] } = await gateway.execute(query, variables);

          expect([200, 400]).toContain(status);
          expect(errors.map(({ extensions }) => extensions['code']).filter((code) => !CODES.includes(code))).toEqual(
            [],
          );
        }
      } finally {
        await gateway.close();
      }
    },
  );

  await assert(property, { numRuns: 60, endOnFailure: true });
}, 120_000);

/** How many queries each set of definitions is asked. */
const QUERIES = 4;

const namesIn = (fields: unknown): string[] =>
  Array.isArray(fields)
    ? fields.flatMap(({ name }: { readonly name?: unknown }) => (typeof name === 'string' ? name : []))
    : [];
