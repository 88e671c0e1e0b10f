import { describe, expect, it } from 'vitest';

import type { Json } from '../../src/core/json.ts';
import { decodeForm } from '../../src/upstream/decoders.ts';
import { decodeFieldDefinition } from '../../src/upstream/field-definition.ts';
import { dialectOf } from './support/open.ts';

const KINDS = 'text integer float decimal boolean date datetime choice reference'.split(' ');

/**
 * Each member of the dialect that names a field's property, a field that uses another name, and the
 * expected result.
 */
const NAMES: readonly (readonly [setting: string, body: Json, expected: object])[] = [
  ['fieldMaxLength', { name: 'n', x: 80 }, { maxLength: 80 }],
  ['fieldMin', { name: 'n', x: 0 }, { min: 0 }],
  ['fieldMax', { name: 'n', x: 5 }, { max: 5 }],
  ['optionValue', { name: 'n', options: [{ x: 1 }] }, { choices: [{ value: 1 }] }],
  [
    'optionLabel',
    { name: 'n', options: [{ id: 1, x: 'l' }] },
    { choices: [{ value: 1, label: 'l' }] },
  ],
];

function decodeField(body: Json, form: object) {
  const dialect = dialectOf({ form });
  return decodeForm({ id: 'a', fields: [body] }, dialect).fields?.map((field) =>
    decodeFieldDefinition(field, dialect.form),
  );
}

describe('a field of a typed form', () => {
  it.each(NAMES)('is read by the dialect’s %s', (setting, body, expected) => {
    expect(decodeField(body, { [setting]: ['x'] })).toMatchObject([expected]);
  });

  it.each(KINDS)('is of the kind %s by the dialect’s word for it', (kind) => {
    expect(decodeField({ name: 'n', type: 'X' }, { types: { [kind]: ['x'] } })).toMatchObject([
      { kind },
    ]);
  });

  it.each<[object, object]>([
    [
      { min: '5', max: '10.50', maxLength: '80' },
      { min: 5, max: 10.5, maxLength: 80 },
    ],
    // A double would round these.
    [{ max: '9223372036854775807' }, { max: undefined }],
    [{ min: '0.12345678901234567890' }, { min: undefined }],
    [
      { min: '', max: 'none', maxLength: '1e2' },
      { min: undefined, max: undefined, maxLength: undefined },
    ],
    [{ maxLength: 1 }, { maxLength: 1 }],
    [{ maxLength: 0 }, { maxLength: undefined }],
    [{ maxLength: -1 }, { maxLength: undefined }],
    [
      { min: 0, max: 0 },
      { min: undefined, max: undefined },
    ],
    [
      { min: '0', max: '0' },
      { min: undefined, max: undefined },
    ],
    [
      { min: 1, max: 0 },
      { min: undefined, max: undefined },
    ],
    [
      { min: 0, max: -1 },
      { min: undefined, max: undefined },
    ],
    [
      { min: 5, max: 5 },
      { min: 5, max: 5 },
    ],
    [{ min: 0 }, { min: 0, max: undefined }],
    [{ max: 0 }, { min: undefined, max: 0 }],
  ])('with the limits %j has %j', (limits, expected) => {
    const [field] = decodeField({ name: 'n', type: 'text', ...limits } as Json, {}) ?? [];

    for (const [name, limit] of Object.entries(expected))
      expect(field?.[name as 'min'], name).toBe(limit);
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
