import { assert, property } from 'fast-check';
import { buildSchema, GraphQLSchema, isObjectType, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';

import { printSdl } from '../../src/graphql/schema.ts';
import { composeSchema } from '../../src/typed-graph/compose.ts';
import type { TypedForm } from '../../src/typed-graph/typed-form.ts';
import type { FormRecord } from '../../src/upstream/records.ts';
import { dialectOf } from '../upstream/support/open.ts';
import { anyForms } from './support/random-forms.ts';

const dialect = dialectOf();
const compose = (forms: readonly FormRecord[]) => composeSchema(forms, { dialect });

const namesOf = ({ forms }: { readonly forms: readonly TypedForm[] }) =>
  new Map(forms.map(({ formId, names, fields }) => [formId, { names, fields: fields.map(({ name }) => name) }]));

const fieldsOf = (schema: GraphQLSchema, name: string) => {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.keys(type.getFields()) : [];
};

describe('any set of definitions', () => {
  it('gives a valid schema, which can be printed and read again', () => {
    assert(
      property(anyForms, (forms) => {
        const { schema } = compose(forms);

        expect(validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }))).toEqual([]);
        expect(validateSchema(buildSchema(printSdl(schema)))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('gives each form that lists its fields types of its own, and says why another has none', () => {
    assert(
      property(anyForms, (definitions) => {
        const { forms, problems } = compose(definitions);

        const twice = (form: FormRecord) => new Set(form.fields?.map(({ name }) => name)).size !== form.fields?.length;
        const mapped = definitions.filter((form) => form.fields !== undefined && !twice(form));
        expect(forms.map(({ formId }) => formId).sort()).toEqual(mapped.map(({ formId }) => formId).sort());
        expect(problems).toHaveLength(definitions.length - mapped.length);
      }),
    );
  });

  it('leaves every name where it was when another form appears', () => {
    assert(
      property(anyForms, (definitions) => {
        const [added, ...before] = definitions;
        const first = compose(before);
        const second = compose(added ? [added, ...before] : []);

        const names = namesOf(second);
        for (const [formId, given] of namesOf(first)) expect(names.get(formId)).toEqual(given);
        for (const {
          names: { type },
        } of first.forms) {
          expect(fieldsOf(second.schema, type)).toEqual(expect.arrayContaining(fieldsOf(first.schema, type)));
        }
      }),
      { numRuns: 100 },
    );
  });
});
