import { assert, property } from 'fast-check';
import {
  buildSchema,
  GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { composeSchema } from '../../../src/features/typed-graph/compose.ts';
import type { TypedForm } from '../../../src/features/typed-graph/typed-form.ts';
import { createSchema, printSdl } from '../../../src/graphql/schema.ts';
import { isId } from '../../../src/upstream/path.ts';
import type { FieldRecord, FormRecord } from '../../../src/upstream/records.ts';
import { DOCUMENTS } from '../../compare/support/settings.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from './support/random-forms.ts';

const RUNS = { numRuns: Math.ceil(DOCUMENTS / 20) };
const dialect = dialectOf();
const compose = (forms: readonly FormRecord[]) => composeSchema(forms, { dialect });

const namesOf = ({ forms }: { readonly forms: readonly TypedForm[] }) =>
  new Map(
    forms.map(({ formId, names, fields }) => [
      formId,
      { names, fields: fields.map(({ name }) => name) },
    ]),
  );

describe('any set of definitions', () => {
  it('gives a valid schema, which survives printing and parsing', () => {
    assert(
      property(anyForms, (forms) => {
        const { schema } = compose(forms);

        expect(
          validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false })),
        ).toEqual([]);
        expect(validateSchema(buildSchema(printSdl(schema)))).toEqual([]);
      }),
      RUNS,
    );
  });

  it('gives types to each form that lists its fields, and a reason for every other', () => {
    assert(
      property(anyForms, (definitions) => {
        const { forms, problems } = compose(definitions);

        const twice = (form: FormRecord) =>
          new Set(form.fields?.map(({ name }) => name)).size !== form.fields?.length;
        const mapped = definitions.filter(
          (form) => isId(form.formId) && form.fields !== undefined && !twice(form),
        );
        expect(forms.map(({ formId }) => formId).sort()).toEqual(
          mapped.map(({ formId }) => formId).sort(),
        );
        expect(problems.filter(({ isOfPart }) => !isOfPart)).toHaveLength(
          definitions.length - mapped.length,
        );
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

describe('a form', () => {
  const field = (name: string, reference?: string) => ({ name, reference, definition: {} });
  const form = (formId: string, ...fields: readonly FieldRecord[]): FormRecord => {
    return { kind: 'Form', formId, fields, isSummary: false, definition: {} };
  };
  const fieldsOf = (schema: GraphQLSchema, name: string) => {
    const type = schema.getType(name);
    return isObjectType(type) ? Object.keys(type.getFields()) : [];
  };
  const FORMS = [
    form('other'),
    form('thing', field('name'), field('__proto__'), field('a:b', 'other')),
  ];

  it('has no field whose values are all null, and no list without a possible search', () => {
    const { schema, problems } = compose(FORMS);

    expect(fieldsOf(schema, 'Thing')).toEqual(expect.arrayContaining(['name', 'ab']));
    expect(fieldsOf(schema, 'Thing')).not.toContain('proto');
    expect(fieldsOf(schema, 'Other')).not.toContain('things');
    expect(problems.map(({ id, field, isOfPart }) => [id, field, isOfPart])).toEqual([
      ['thing', '__proto__', true],
      ['thing', 'a:b', true],
    ]);
  });

  it('is in no list of another where the platform cannot search for equal values', () => {
    const forms = [form('other'), form('thing', field('owner', 'other'))];
    const mute = dialectOf({ search: { operators: { EQ: null } } });

    expect(fieldsOf(compose(forms).schema, 'Other')).toContain('things');
    expect(fieldsOf(composeSchema(forms, { dialect: mute }).schema, 'Other')).not.toContain(
      'things',
    );
  });

  it('has no types where no address can carry its id', () => {
    const { schema, problems } = compose([form('..', field('name')), form('thing', field('name'))]);

    expect(fieldsOf(schema, 'Thing')).toContain('name');
    expect(problems).toEqual([{ of: 'form', id: '..', reason: 'no address can carry its id' }]);
  });
});

describe('a form whose fields are called like those of every instance', () => {
  it('has all of them, its own with another name, in a valid schema', () => {
    const genericType = createSchema().getType('GenericInstance');
    const every = isObjectType(genericType) ? Object.keys(genericType.getFields()) : [];
    const fields = every.map((name) => ({ name, definition: {} }));

    const { schema } = compose([
      { kind: 'Form', formId: 'thing', fields, isSummary: false, definition: {} },
    ]);

    const type = schema.getType('Thing');
    const names = isObjectType(type) ? Object.keys(type.getFields()) : [];
    expect(names).toEqual([...every, ...every.map((name) => `${name}_`)]);
    expect(validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }))).toEqual(
      [],
    );
  });
});

it('a list of any instances with their references has about as many generated types as there are forms, not as there are pairs of them', () => {
  const forms = Array.from({ length: 200 }, (_, index): FormRecord => {
    const parent = { name: 'parent', reference: `form-${index - 1}`, definition: {} };
    const fields = index === 0 ? [] : [parent, { name: 'title', definition: {} }];
    return { kind: 'Form', formId: `form-${index}`, fields, isSummary: false, definition: {} };
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
  // One for each form, and all types for a reference to an untyped form.
  expect(nested).toHaveLength(401);
});
