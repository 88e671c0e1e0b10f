import { assert, property } from 'fast-check';
import { buildSchema, GraphQLSchema, getNamedType, isAbstractType, isObjectType, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import type { TypedForm } from '../../../src/features/typed-graph/typed-form.ts';
import { printSdl } from '../../../src/graphql/schema.ts';
import type { FormRecord } from '../../../src/upstream/records.ts';
import { DOCUMENTS } from '../../compare/support/settings.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from './support/random-forms.ts';

const RUNS = { numRuns: Math.ceil(DOCUMENTS / 20) };
const dialect = dialectOf();
const compose = (forms: readonly FormRecord[]) => composeSchema(forms, { dialect });

const namesOf = ({ forms }: { readonly forms: readonly TypedForm[] }) =>
  new Map(forms.map(({ formId, names, fields }) => [formId, { names, fields: fields.map(({ name }) => name) }]));

describe('any set of definitions', () => {
  it('gives a valid schema, which survives printing and parsing', () => {
    assert(
      property(anyForms, (forms) => {
        const { schema } = compose(forms);

        expect(validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }))).toEqual([]);
        expect(validateSchema(buildSchema(printSdl(schema)))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('gives types to each form that lists its fields, and a reason for every other', () => {
    assert(
      property(anyForms, (definitions) => {
        const { forms, problems } = compose(definitions);

        const twice = (form: FormRecord) => new Set(form.fields?.map(({ name }) => name)).size !== form.fields?.length;
        const mapped = definitions.filter((form) => form.fields !== undefined && !twice(form));
        expect(forms.map(({ formId }) => formId).sort()).toEqual(mapped.map(({ formId }) => formId).sort());
        expect(problems).toHaveLength(definitions.length - mapped.length);
      }),
      RUNS,
    );
  });

  it('gives the same schema in any order', () => {
    assert(
      property(anyForms, (forms) => {
        expect(printSdl(compose(forms.toReversed()).schema)).toBe(printSdl(compose(forms).schema));
      }),
      RUNS,
    );
  });

  it('gives names that change only when another form claims them', () => {
    assert(
      property(anyForms, (definitions) => {
        const [added, ...before] = definitions;
        const first = namesOf(compose(before));
        const second = namesOf(compose(added ? [added, ...before] : []));

        for (const [formId, { names, fields }] of first) {
          const later = second.get(formId);
          expect(later?.fields).toEqual(fields);
          const isSame = later?.names.type === names.type;
          if (!isSame) expect(later?.names.type.replace(/_[0-9a-f]{8}$/, '')).toBe(names.type);
        }
      }),
      RUNS,
    );
  });
});

describe('a list of any instances with their references', () => {
  it('has about as many generated types as there are forms, not as there are pairs of them', () => {
    const forms = Array.from({ length: 200 }, (_, index): FormRecord => {
      const parent = { name: 'parent', reference: `form-${index - 1}`, definition: {} };
      const fields = index === 0 ? [] : [parent, { name: 'title', definition: {} }];
      return { formId: `form-${index}`, fields, isSummary: false, definition: {} };
    });

    const { schema } = compose(forms);

    const possible = (name: string) => {
      const type = schema.getType(name);
      return isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
    };
    const nested = possible('Instance').flatMap((type) =>
      possible(getNamedType(type.getFields()['reference']?.type)?.name ?? ''),
    );
    expect(possible('Instance')).toHaveLength(201);
    // One for each form, and all for what has no type.
    expect(nested).toHaveLength(401);
  });
});
