import { assert, asyncProperty, tuple } from 'fast-check';
import { expect, it } from 'vitest';

import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import { capitalize } from '../../../src/features/typed-graph/names.ts';
import type { TypedForm } from '../../../src/features/typed-graph/typed-form.ts';
import type { FormRecord } from '../../../src/upstream/records.ts';
import { SEED, TIMEOUT_MS, VALUES } from '../../compare/support/settings.ts';
import { type GraphqlAnswer, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { parseExact } from './support/exact-json.ts';
import { anyForms } from './support/random-forms.ts';
import { anyInput, type Planned } from './support/random-input.ts';

const dialect = dialectOf();

/** Forms, and for each some values for a new instance and for a change. */
const anyChanges = anyForms.chain((definitions) =>
  tuple(
    ...composeSchema(definitions, { dialect }).forms.map(({ fields }) =>
      tuple(
        anyInput(fields, true),
        anyInput(fields, true),
        anyInput(fields, false),
        anyInput(fields, false),
      ),
    ),
  ).map((values) => ({ definitions, values })),
);

/** Starts a gateway before a platform that takes whatever it is given. */
async function startBefore(definitions: readonly FormRecord[]) {
  const platform = await scriptPlatform(({ method, url }) => {
    if (url.startsWith('/v1.0/forms?'))
      return { body: definitions.map(({ definition }) => definition) };
    return method === 'POST' ? { status: 201, body: { idInstance: 1 } } : { status: 202 };
  });
  const gateway = await startGateway({ ...platform.env, TYPED_FORMS: '*' });
  platform.seen.splice(0);
  return { ...gateway, seen: platform.seen };
}

/** Writes a mutation of a form, with its variables. */
function toRequest(
  word: 'create' | 'update',
  { names, fields }: TypedForm,
  planned: readonly Planned[],
) {
  const name = word + names.type;
  const id = word === 'update' ? 'instanceId: 1' : 'idempotencyKey: null';
  // A form without fields takes no values.
  if (fields.length === 0)
    return { query: `mutation { ${name}(input: { ${id} }) { __typename } }`, variables: {} };
  const values = Object.fromEntries(planned.map(({ field, given }) => [field.name, given]));
  const variable = `$values: ${capitalize(name)}Values!`;
  const query = `mutation (${variable}) { ${name}(input: { ${id} values: $values }) { __typename } }`;
  return { query, variables: { values } };
}

const WORDS = ['create', 'create', 'update', 'update'] as const;

/**
 * Expects that each violation names a submitted value and a constraint of the field's definition.
 */
function expectObjections(errors: GraphqlAnswer['errors'], given: readonly Planned[]) {
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  const violations = (errors?.[0]?.extensions['violations'] ?? []) as {
    path: string[];
    constraint: string;
    limit?: number;
  }[];
  for (const { path, constraint, limit } of violations) {
    const planned = given.find(({ field: { name } }) => name === path[2]);
    const { field, wire } = planned ?? {};
    if (constraint === 'kind') expectKindViolation(planned);
    else if (constraint === 'minItems')
      expect([field?.record.required, wire]).toEqual([true, [[]]]);
    else if (constraint === 'required') expect(field?.record.required).toBe(true);
    else expect(field?.record[constraint as 'min' | 'max' | 'maxLength']).toBe(limit);
  }
  return violations;
}

/** Expects a reference with a text that is no id, or a float that the client may have rounded. */
function expectKindViolation(planned: Planned | undefined): void {
  const values = [planned?.given].flat();
  const rounded = values.filter((value) => Number.isInteger(value) && !Number.isSafeInteger(value));
  const texts = [planned?.wire].flat(2).filter((value) => /^"/.test(String(value)));
  const { kind } = planned?.field.shape ?? {};
  expect(['reference', 'float']).toContain(kind);
  expect(kind === 'float' ? rounded : texts).not.toEqual([]);
}

/** Expects that the platform received the planned values and no others. */
function expectWritten(bodies: readonly string[], planned: readonly Planned[]) {
  const written = bodies.map(
    (body) => new Map(Object.entries((parseExact(body) as { values: object }).values)),
  );
  expect(written).toEqual([
    new Map(planned.map(({ field, wire: [wire] }) => [field.record.name, wire])),
  ]);
}

interface Change {
  readonly form: TypedForm;
  readonly word: 'create' | 'update';
  readonly planned: readonly Planned[];
}

/** Sends a change and expects that it is either written or refused. */
async function tryChange(
  { form, word, planned }: Change,
  { execute, seen }: Awaited<ReturnType<typeof startBefore>>,
) {
  const { query, variables } = toRequest(word, form, planned);
  const { errors } = await execute(query, variables);
  const bodies = seen.splice(0).map(({ body }) => body);
  if (errors === undefined) {
    expectWritten(bodies, planned);
    return 'written';
  }
  expectObjections(errors, planned);
  expect(bodies).toEqual([]);
  return 'refused';
}

it(
  'any input that a form’s input type admits reaches the platform with every digit, or is rejected by the definition’s constraints without a call',
  async () => {
    const outcomes = new Set<string>();
    await assert(
      asyncProperty(anyChanges, async ({ definitions, values }) => {
        const { forms } = composeSchema(definitions, { dialect });
        const gateway = await startBefore(definitions);

        for (const [index, form] of forms.entries()) {
          for (const [turn, word] of WORDS.entries()) {
            outcomes.add(
              await tryChange({ form, word, planned: values[index]?.[turn] ?? [] }, gateway),
            );
          }
        }
        await gateway.close();
      }),
      { numRuns: Math.ceil(VALUES / 40), seed: SEED, endOnFailure: true },
    );
    expect(outcomes).toEqual(new Set(['refused', 'written']));
  },
  TIMEOUT_MS,
);
