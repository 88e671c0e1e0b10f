import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { expectAnswer } from '../../src/upstream/answer.ts';
import { decodeContent, decodeListed, decodeReference } from '../../src/upstream/decoders.ts';
import { createFormIntance, getFormIntance } from '../../src/upstream/resources/instances.ts';
import { dialectOf, openPlatform, recordOf } from './support/open.ts';

const dialect = dialectOf();
const VALUES = { amount: 3, city: null };
const SEQUENCE = [{ name: 'amount', value: 3 }, { name: 'city' }];

const SHAPES: readonly (readonly [string, Json])[] = [
  ['an object of values', { idInstance: 7, values: VALUES }],
  ['a sequence under values', { idInstance: 7, values: SEQUENCE }],
  ['a sequence under fields', { idInstance: 7, fields: SEQUENCE }],
  ['a flat object', { idInstance: 7, idForm: 'a', ...VALUES, links: [], _links: {} }],
];

describe('an instance', () => {
  it.each([...SHAPES, ['a bare sequence', SEQUENCE] as const])(
    'is decoded from %s',
    (_shape, body) => {
      expect(decodeContent(body, dialect).values).toEqual(VALUES);
    },
  );

  it('is read over the wire by the requested id', async () => {
    const key = { formId: 'a', instanceId: '9007199254740993' };
    const { upstream, requests } = await openPlatform({ status: 200, body: { values: VALUES } });

    const instance = await recordOf(upstream.read(getFormIntance, key));

    expect(requests[0]?.target).toBe('/v1.0/forms/a/instances/9007199254740993');
    expect(instance).toMatchObject({ ...key, content: { values: VALUES } });
  });

  it('may have a value named __proto__, which stays a value', () => {
    const { values } = decodeContent([{ name: '__proto__', value: { isAdmin: true } }], dialect);

    expect(Object.keys(values)).toEqual(['__proto__']);
    expect(values['isAdmin']).toBeUndefined();
  });

  it.each<Json | undefined>([undefined, null, 'text', 1, [1, 2], [{ value: 1 }]])(
    'is not guessed from %j',
    (body) => {
      expect(() => decodeContent(body, dialect)).toThrow('has no instance');
    },
  );
});

describe('an instance in a list', () => {
  it.each(SHAPES)('has its id in %s', (_shape, item) => {
    expect(decodeListed('a', item, dialect)).toMatchObject({
      formId: 'a',
      instanceId: '7',
      content: { values: VALUES },
    });
  });

  it('has its id within a bare sequence', () => {
    const item = [{ name: 'idInstance', value: 7 }, ...SEQUENCE];

    expect(decodeListed('a', item, dialect).instanceId).toBe('7');
  });

  it('is malformed without an id', () => {
    expect(() => decodeListed('a', { values: VALUES }, dialect)).toThrow('has no instance id');
  });
});

describe('a created instance', () => {
  const created = (body: Json | undefined, location?: string) =>
    expectAnswer(createFormIntance, { formId: 'a', values: {} }, dialect).decode({
      status: 201,
      headers: { location },
      text: '',
      body,
    });

  it.each<[string, Json | undefined, string | undefined]>([
    ['idInstance', { idInstance: 7 }, undefined],
    ['id', { id: '7' }, undefined],
    ['idInstance before id', { id: 'x', idInstance: 7 }, undefined],
    ['the body before Location', { idInstance: 7 }, '/v1.0/forms/a/instances/8'],
    ['the end of Location', undefined, '/v1.0/forms/a/instances/7'],
    ['the end of an absolute Location', undefined, 'https://h/v1.0/forms/a/instances/7/?x=8#9'],
    ['Location where the body is no record', null, '/7'],
  ])('is identified by %s', (_where, body, location) => {
    expect(created(body, location)).toEqual({
      kind: 'Instance',
      formId: 'a',
      instanceId: '7',
      content: undefined,
    });
  });

  it('has its values where the response has them', () => {
    expect(created({ idInstance: 7, values: VALUES }).content?.values).toEqual(VALUES);
  });

  it.each(['/v1.0/forms/a/instances', '/', '', undefined])(
    'is malformed where Location is %j and the body empty',
    (location) => {
      expect(() => created(undefined, location)).toThrow('outcome-unknown');
    },
  );

  it('is identified over the wire by a 201 with a Location and a body that is not JSON', async () => {
    const headers = { location: '/v1.0/forms/a/instances/9223372036854775807' };
    const { upstream } = await openPlatform({ status: 201, headers, body: 'Created' });

    expect(
      (await upstream.change(createFormIntance, { formId: 'a', values: VALUES })).instanceId,
    ).toBe('9223372036854775807');
  });
});

describe('a reference', () => {
  it('has its id where the dialect says', () => {
    const other = dialectOf({ instance: { id: ['sys_id'] }, form: { optionValue: ['key'] } });

    expect(decodeReference({ sys_id: 7, id: 8 }, 'supplier', other)).toBe('7');
    expect(decodeReference({ key: 7, id: 8 }, 'supplier', other)).toBe('7');
  });
});
