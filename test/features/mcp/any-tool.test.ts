import { Ajv2020 } from 'ajv/dist/2020.js';
import { array, assert, asyncProperty, boolean, constantFrom, type GeneratorValue, gen, nat, pre } from 'fast-check';
import { Kind, parse, print, type SelectionNode } from 'graphql';
import { expect, it } from 'vitest';

import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import { DOCUMENTS, SEED, TIMEOUT_MS } from '../../compare/support/settings.ts';
import { isWithinLimits } from '../../graphql/support/random-operation.ts';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from '../typed-graph/support/random-forms.ts';
import { makeQuery } from '../typed-graph/support/random-query.ts';
import { connect, writeDocuments } from './support.ts';

const anyValue = constantFrom<unknown>(1, 2, '3', 'a name', '2026-01-31', '2026-01-31T10:00:00', '12.50', true, null);
const TOOLS = 4;

it(
  'any tool over any definitions takes what fits its input schema, and gives what fits its output schema',
  async () => {
    let given = 0;
    const property = asyncProperty(
      anyForms,
      array(anyValue, { minLength: 1, maxLength: 20 }),
      gen(),
      async (forms, values, g) => {
        const { schema } = composeSchema(forms, { dialect: dialectOf() });
        const queries = Array.from({ length: TOOLS }, () => makeQuery(schema, g));
        const documents = queries.map(({ query }, index) =>
          spreadOut(query.replace('query', `"Any." query Any${index}`), g),
        );
        pre(documents.every((text) => isWithinLimits(schema, text, 0)));
        const valuesOf = ({ fields }: Definition, instance: number) =>
          Object.fromEntries(namesIn(fields).map((name, index) => [name, values[(index + instance) % values.length]]));
        const platform = await startFormPlatform(
          forms.map(({ definition }) => definition as Definition),
          { valuesOf },
        );
        const gateway = await startGateway({
          ...platform.env,
          MCP: 'queries',
          DOCUMENTS: writeDocuments(...documents),
        });

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

    await assert(property, { numRuns: Math.ceil(DOCUMENTS / 25), seed: SEED, endOnFailure: true });
    expect(given).toBeGreaterThan(10);
  },
  TIMEOUT_MS,
);

/** Selects the same in parts: each field at two places perhaps, in fragments, and some of it under a condition. */
function spreadOut(query: string, g: GeneratorValue): string {
  const fragments: string[] = [];
  let names = 0;
  const write = (selections: readonly SelectionNode[]): string => `{ ${selections.map(writeOne).join(' ')} }`;
  const writeOne = (node: SelectionNode): string => {
    if (node.kind === Kind.FRAGMENT_SPREAD || !node.selectionSet) return print(node);
    const { selectionSet, ...rest } = node;
    const { selections } = selectionSet;
    const condition = () => g(constantFrom, '', '@skip(if: true)', '@skip(if: false)', '@include(if: true)');
    if (rest.kind === Kind.FIELD) {
      const at = g(nat, selections.length - 1);
      const parts = [selections.slice(0, at), selections.slice(at)].filter(({ length }) => length > 0);
      const field = print(rest);
      return parts.map((part) => `${field} ${condition()} ${write(part)}`).join(' ');
    }
    const on = `on ${rest.typeCondition?.name.value}`;
    if (g(boolean)) return `... ${on} ${condition()} ${write(selections)}`;
    const name = `Part${names++}`;
    fragments.push(`fragment ${name} ${on} ${write(selections)}`);
    return `...${name} ${condition()}`;
  };
  const [operation] = parse(query).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return query;
  const head = query.slice(0, query.indexOf('{'));
  return [head, write(operation.selectionSet.selections), ...fragments].join('\n');
}

const FORMATS = { date: /^\d{4}-\d{2}-\d{2}$/, 'date-time': /^\d{4}-\d{2}-\d{2}T/ };

const namesIn = (fields: unknown): string[] =>
  Array.isArray(fields)
    ? fields.flatMap(({ name }: { readonly name?: unknown }) => (typeof name === 'string' ? name : []))
    : [];
