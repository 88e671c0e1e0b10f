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
import { createSchema, printSdl } from '../../../src/graphql/schema.ts';
import { isId } from '../../../src/upstream/path.ts';
import type { FieldRecord, FormRecord } from '../../../src/upstream/records.ts';
import { DOCUMENTS } from '../../compare/support/settings.ts';
import { dialectOf } from '../../upstream/support/open.ts';
import { anyForms } from './support/random-forms.ts';

const RUNS = { numRuns: Math.ceil(DOCUMENTS / 20) };
const compose = (forms: readonly FormRecord[], dialect = dialectOf()) =>
  composeSchema(forms, { dialect });

/** Validates a schema that was assumed to be valid. */
const validate = (schema: GraphQLSchema) =>
  validateSchema(new GraphQLSchema({ ...schema.toConfig(), assumeValid: false }));

describe('any set of definitions', () => {
  it('gives a valid schema, which survives printing and parsing, and is the same in any order', () => {
    assert(
      property(anyForms, (forms) => {
        const { schema } = compose(forms);
        const sdl = printSdl(schema);

        expect(validate(schema)).toEqual([]);
        expect(validateSchema(buildSchema(sdl))).toEqual([]);
        expect(printSdl(compose(forms.toReversed()).schema)).toBe(sdl);
      }),
      RUNS,
    );
  });

  it('gives types to each form that lists its fields, and a reason for every other', () => {
    const isMapped = ({ formId, fields }: FormRecord) =>
      isId(formId) && new Set(fields?.map(({ name }) => name)).size === fields?.length;
    assert(
      property(anyForms, (definitions) => {
        const { forms, problems } = compose(definitions);

        const idsOf = (all: readonly { formId: string }[]) =>
          all.map(({ formId }) => formId).sort();
        const mapped = definitions.filter(isMapped);
        expect(idsOf(forms)).toEqual(idsOf(mapped));
        expect(problems.filter(({ isOfPart }) => !isOfPart)).toHaveLength(
          definitions.length - mapped.length,
        );
      }),
      RUNS,
    );
  });

  it('gives names that change only when another form claims them', () => {
    assert(
      property(anyForms, (definitions) => {
        const [, ...before] = definitions;
        const after = new Map(compose(definitions).forms.map((form) => [form.formId, form]));

        for (const { formId, names, fields } of compose(before).forms) {
          const later = after.get(formId);
          const namesOf = (all = fields) => all.map(({ name }) => name);
          expect(namesOf(later?.fields)).toEqual(namesOf());
          const type = later?.names.type;
          if (type !== names.type) expect(type?.replace(/_[0-9a-f]{8}$/, '')).toBe(names.type);
        }
      }),
      RUNS,
    );
  });
});

const field = (name: string, reference?: string): FieldRecord => ({
  name,
  reference,
  definition: {},
});
const form = (formId: string, ...fields: readonly FieldRecord[]): FormRecord => {
  return { kind: 'Form', formId, fields, isSummary: false, definition: {} };
};
const fieldsOf = (schema: GraphQLSchema, name: string) => {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.keys(type.getFields()) : [];
};

describe('a form', () => {
  it('has no field whose values are all null, and no list without a possible search', () => {
    const { schema, problems } = compose([
      form('other'),
      form('thing', field('name'), field('__proto__'), field('a:b', 'other')),
    ]);

    expect(fieldsOf(schema, 'Thing')).toEqual(expect.arrayContaining(['name', 'ab']));
    expect(fieldsOf(schema, 'Thing')).not.toContain('proto');
    expect(fieldsOf(schema, 'Other')).not.toContain('things');
    expect(problems).toMatchObject([
      { id: 'thing', field: '__proto__', isOfPart: true },
      { id: 'thing', field: 'a:b', isOfPart: true },
    ]);
  });

  it('is in no list of another where the platform cannot search for equal values', () => {
    const forms = [form('other'), form('thing', field('owner', 'other'))];
    const mute = dialectOf({ search: { operators: { EQ: null } } });

    expect(fieldsOf(compose(forms).schema, 'Other')).toContain('things');
    expect(fieldsOf(compose(forms, mute).schema, 'Other')).not.toContain('things');
  });

  it('has no types where no address can carry its id', () => {
    const { schema, problems } = compose([form('..', field('name')), form('thing', field('name'))]);

    expect(fieldsOf(schema, 'Thing')).toContain('name');
    expect(problems).toEqual([{ of: 'form', id: '..', reason: 'no address can carry its id' }]);
  });

  it('has fields that are called like those of every instance, with another name, in a valid schema', () => {
    const every = fieldsOf(createSchema(), 'GenericInstance');

    const { schema } = compose([form('thing', ...every.map((name) => field(name)))]);

    expect(fieldsOf(schema, 'Thing')).toEqual([...every, ...every.map((name) => `${name}_`)]);
    expect(validate(schema)).toEqual([]);
  });
});

it('a list of any instances with their references has about as many generated types as there are forms, not as there are pairs of them', () => {
  const forms = Array.from({ length: 200 }, (_, index) =>
    index === 0
      ? form('form-0')
      : form(`form-${index}`, field('parent', `form-${index - 1}`), field('title')),
  );

  const { schema } = compose(forms);

  const possible = (name = '') => {
    const type = schema.getType(name);
    return isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
  };
  const nested = possible('Instance').flatMap((type) =>
    possible(getNamedType(type.getFields()['reference']?.type)?.name),
  );
  expect(possible('Instance')).toHaveLength(201);
  // One for each form, and all types for a reference to an untyped form.
  expect(nested).toHaveLength(401);
});
