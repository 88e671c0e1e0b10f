import { Ajv2020 } from 'ajv/dist/2020.js';
import { array, assert, asyncProperty, constantFrom, gen } from 'fast-check';
import { expect, it } from 'vitest';

import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from '../typed-graph/support/random-forms.ts';
import { makeQuery } from '../typed-graph/support/random-query.ts';
import { connect, writeDocuments } from './support.ts';

const anyValue = constantFrom<unknown>(1, 2, '3', 'a name', '2026-01-31', '2026-01-31T10:00:00', '12.50', true, null);
const TOOLS = 4;

it('any tool over any definitions takes what fits its input schema, and gives what fits its output schema', async () => {
  let given = 0;
  const property = asyncProperty(
    anyForms,
    array(anyValue, { minLength: 1, maxLength: 20 }),
    gen(),
    async (forms, values, g) => {
      const { schema } = composeSchema(forms, { dialect: dialectOf() });
      const queries = Array.from({ length: TOOLS }, () => makeQuery(schema, g));
      const documents = queries.map(({ query }, index) => query.replace('query', `"Any." query Any${index}`));
      const valuesOf = ({ fields }: Definition, instance: number) =>
        Object.fromEntries(namesIn(fields).map((name, index) => [name, values[(index + instance) % values.length]]));
      const platform = await startFormPlatform(
        forms.map(({ definition }) => definition as Definition),
        { valuesOf },
      );
      const gateway = await startGateway({ ...platform.env, MCP: 'queries', DOCUMENTS: writeDocuments(...documents) });

      try {
        const client = await connect(gateway.url);
        const { tools } = await client.listTools();
        expect(tools).toHaveLength(TOOLS);
        for (const { name, inputSchema, outputSchema = {} } of tools) {
          const { variables = {} } = queries[Number(name.slice(3))] ?? {};
          const ajv = new Ajv2020({ strictRequired: false, allowUnionTypes: true, formats: FORMATS });
          const fits = ajv.compile(inputSchema);
          expect([fits(variables), fits.errors]).toEqual([true, null]);

          const { structuredContent, isError } = await client.callTool({ name, arguments: variables });

          if (isError) continue;
          const isAnswer = ajv.compile(outputSchema as object);
          expect([isAnswer(structuredContent), isAnswer.errors]).toEqual([true, null]);
          given++;
        }
      } finally {
        await gateway.close();
      }
    },
  );

  await assert(property, { numRuns: 20, endOnFailure: true });
  expect(given).toBeGreaterThan(10);
}, 120_000);

const FORMATS = { date: /^\d{4}-\d{2}-\d{2}$/, 'date-time': /^\d{4}-\d{2}-\d{2}T/ };

const namesIn = (fields: unknown): string[] =>
  Array.isArray(fields)
    ? fields.flatMap(({ name }: { readonly name?: unknown }) => (typeof name === 'string' ? name : []))
    : [];
