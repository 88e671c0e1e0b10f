import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { decodeCase, decodeForm, decodeParameters } from '../../src/upstream/decoders.ts';
import { decodeFieldDefinition } from '../../src/upstream/field-definition.ts';
import { dialectOf } from './support/open.ts';

const dialect = dialectOf();

describe('a form', () => {
  it('has its name, description, version, fields and the whole record', () => {
    const options = ['AT', { code: 'BE' }];
    const country = { name: 'country', label: 'Country', type: 'choice', required: true, options };
    const owner = { name: 'owner', type: 'reference', reference: 'employee' };
    const definition = {
      idForm: 'supplier',
      name: 'Supplier',
      description: 'Who sells',
      version: 2,
      fields: [{ ...country, extra: 1 }, owner],
      layout: { columns: 2 },
    };

    const form = decodeForm(definition, dialect);

    expect({ ...form, fields: form.fields }).toEqual({
      kind: 'Form',
      formId: 'supplier',
      name: 'Supplier',
      description: 'Who sells',
      version: '2',
      fields: [
        { ...country, definition: { ...country, extra: 1 } },
        { ...owner, definition: owner },
      ],
      isSummary: false,
      definition,
    });
  });

  it('may name its id id, and has the requested id where the response has none', () => {
    expect(decodeForm({ id: 'a' }, dialect).formId).toBe('a');
    expect(decodeForm({}, dialect, 'a').formId).toBe('a');
    expect(() => decodeForm({}, dialect)).toThrow('has no form id');
  });

  it.each<[JsonObject, string | undefined]>([
    [{ reference: 'supplier' }, 'supplier'],
    [{ reference: 42 }, '42'],
    [{ reference: ['supplier'] }, 'supplier'],
    [{ reference: [] }, undefined],
    [{ reference: ['supplier', 'employee'] }, undefined],
    [{ reference: '' }, undefined],
    [{ reference: null }, undefined],
    [{ reference: 'open\nclosed', type: 'select' }, undefined],
  ])('has a field with %j that refers to the form %s', (field, expected) => {
    const definition = { id: 'a', fields: [{ name: 'n', ...field }] };

    expect(decodeForm(definition, dialect).fields?.[0]?.reference).toBe(expected);
  });

  it('without fields is a summary, unlike one with an empty list of fields', () => {
    expect(decodeForm({ id: 'a' }, dialect).fields).toBeUndefined();
    expect(decodeForm({ id: 'a', fields: [] }, dialect).fields).toEqual([]);
  });

  it.each<[boolean | undefined, Json[]]>([
    [true, [true, 1, 'true', 'TRUE', '1']],
    [false, [false, 0, 'false', '0']],
    [undefined, [null, '', 'yes', 2, {}, []]],
  ])('has a field with a flag that is %s by any of %j', (is, flags) => {
    for (const flag of flags) {
      const fields = [{ name: 'n', required: flag, multiple: flag }];

      const expected = [{ required: is, isMultiple: is }];
      expect(decodeForm({ id: 'a', fields }, dialect).fields).toMatchObject(expected);
    }
  });

  it('has the fields of its sections, in their order', () => {
    const named = (...names: readonly string[]) => names.map((name) => ({ name }));
    const fields = [
      { name: 'first', type: 'text' },
      {
        name: 'general',
        type: 'Section',
        fields: [...named('a'), { label: 'Inner', fields: named('b', 'c') }],
      },
      { label: 'Without a type', fields: named('d') },
      { name: 'rows', type: 'table', fields: named('of a row') },
      { name: 'empty', fields: [] },
    ];

    const names = decodeForm({ id: 'a', fields }, dialect).fields?.map(({ name }) => name);

    // The value of a table contains the values of its columns.
    expect(names).toEqual(['first', 'a', 'b', 'c', 'd', 'rows', 'empty']);
  });

  it('omits fields without a name', () => {
    expect(
      decodeForm({ id: 'a', fields: [null, 'x', {}, { label: 'y' }, { name: 'z' }] }, dialect)
        .fields,
    ).toMatchObject([{ name: 'z' }]);
  });
});

const KINDS = 'text integer float decimal boolean date datetime choice reference'.split(' ');

function decodeField(body: Json, form: object) {
  const dialect = dialectOf({ form });
  return decodeForm({ id: 'a', fields: [body] }, dialect).fields?.map((field) =>
    decodeFieldDefinition(field, dialect.form),
  );
}

describe('a field of a typed form', () => {
  it.each(KINDS)('is of the kind %s by the dialect’s word for it', (kind) => {
    expect(decodeField({ name: 'n', type: 'X' }, { types: { [kind]: ['x'] } })).toMatchObject([
      { kind },
    ]);
  });

  it.each<[limits: object, kept: object]>([
    [
      { min: '5', max: '10.50', maxLength: '80' },
      { min: 5, max: 10.5, maxLength: 80 },
    ],
    // A double would round these.
    [{ max: '9223372036854775807' }, {}],
    [{ min: '0.12345678901234567890' }, {}],
    [{ min: '', max: 'none', maxLength: '1e2' }, {}],
    [{ maxLength: 1 }, { maxLength: 1 }],
    [{ maxLength: 0 }, {}],
    [{ maxLength: -1 }, {}],
    [{ min: 0, max: 0 }, {}],
    [{ min: '0', max: '0' }, {}],
    [{ min: 1, max: 0 }, {}],
    [
      { min: 5, max: 5 },
      { min: 5, max: 5 },
    ],
    [{ min: 0 }, { min: 0 }],
    [{ max: 0 }, { max: 0 }],
  ])('with the limits %j has %j', (limits, kept) => {
    const [field] = decodeField({ name: 'n', type: 'text', ...limits }, {}) ?? [];

    const { min, max, maxLength } = field ?? {};
    expect({ min, max, maxLength }).toEqual(kept);
  });

  it('has the choices that are plain values', () => {
    const body = {
      name: 'country',
      type: 'choice',
      options: ['DE', { code: 'FR' }, { value: 'AT', label: 'Austria' }],
    };

    const [field] = decodeField(body, {}) ?? [];

    expect(field).toMatchObject({
      kind: 'choice',
      choices: [{ value: 'DE' }, { value: 'AT', label: 'Austria' }],
    });
    expect(field?.options).toHaveLength(3);
  });
});

describe('a case', () => {
  it.each<[string, Json, unknown]>([
    [
      'its cdActivity flat',
      { idCase: 1, cdActivity: 2, name: 'of the case' },
      { activityId: '2', name: undefined },
    ],
    [
      'an object that holds it, before a flat one',
      { idCase: 1, cdActivity: 2, currentActivity: { cdActivity: 2, nameActivity: 'Approve' } },
      { activityId: '2', name: 'Approve' },
    ],
    ['none', { idCase: 1, state: 'done', result: {} }, undefined],
  ])('has the activity of %s', (_shape, record, activity) => {
    expect(decodeCase(record, dialect)).toEqual({ caseId: '1', activity, record });
  });

  it('has the requested id, even after a response without a body', () => {
    expect(decodeCase({}, dialect, '5')).toEqual({ caseId: '5', record: {} });
    expect(decodeCase(undefined, dialect, '5')).toEqual({ caseId: '5', record: {} });
  });
});

describe('parameters', () => {
  const PARAMETERS = [{ name: 'amount', type: 'number', value: 3 }];

  it.each<[string, Json]>([
    ['a bare array', PARAMETERS],
    ['inputParameters', { inputParameters: PARAMETERS, tags: [] }],
    ['the only array of an object besides its links', { args: PARAMETERS, links: [] }],
  ])('are read from %s', (_where, body) => {
    expect(decodeParameters(body, dialect)).toEqual(PARAMETERS);
  });

  it('may lack type and value; one without a name is left out', () => {
    expect(decodeParameters([{ name: 'a' }, { type: 'x' }, null], dialect)).toEqual([
      { name: 'a' },
    ]);
  });

  it.each<Json | undefined>([undefined, null, {}, 'text', { a: [], b: [] }])(
    'are not guessed from %j',
    (body) => {
      expect(() => decodeParameters(body, dialect)).toThrow('has no list of parameters');
    },
  );
});
