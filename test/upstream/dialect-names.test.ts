import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { expectAnswer, toError } from '../../src/upstream/answer.ts';
import {
  decodeCase,
  decodeContent,
  decodeForm,
  decodeList,
  decodeListed,
  decodeParameters,
  decodeReference,
} from '../../src/upstream/decoders.ts';
import { type Dialect, readDialect } from '../../src/upstream/dialect.ts';
import { decodeFieldDefinition } from '../../src/upstream/field-definition.ts';
import type { FieldRecord } from '../../src/upstream/records.ts';
import { getFormIntance } from '../../src/upstream/resources/instances.ts';
import { execute } from '../../src/upstream/resources/rules.ts';
import { dialectOf } from './support/open.ts';

type Reader = (body: Json, dialect: Dialect) => unknown;

const list: Reader = (body, dialect) =>
  decodeList('getForms', { body, headers: {} }, dialect, (item) => item);
const form: Reader = (body, dialect) => decodeForm(body, dialect);
const field: Reader = (body, dialect) =>
  decodeForm({ id: 'a', fields: [body] }, dialect).fields?.[0];
const content: Reader = (body, dialect) => decodeContent(body, dialect);
const listed: Reader = (body, dialect) => decodeListed('a', body, dialect);
const activity: Reader = (body, dialect) => decodeCase(body, dialect);
const parameters: Reader = (body, dialect) => decodeParameters(body, dialect)[0];
const typedField: Reader = (body, dialect) =>
  decodeFieldDefinition(field(body, dialect) as FieldRecord, dialect.form);
const response = (body: Json) => ({ status: 200, headers: {}, text: '', body });
const enveloped: Reader = (body, dialect) =>
  expectAnswer(getFormIntance, { formId: 'a', instanceId: '1' }, dialect).decode(response(body));
const outputs: Reader = (body, dialect) =>
  expectAnswer(execute, { component: 'c', version: '1', parameters: [] }, dialect).decode(
    response(body),
  )[0];
const error: Reader = (body, dialect) =>
  toError(
    { operation: 'x', kind: 'read' },
    { ...response(body), status: 400, text: JSON.stringify(body) },
    dialect,
  );

const REFUSED = { fields: [{ field: 'f', message: 'm' }] };
const ROWS = { x: [1], rows: [] };

/** For each setting: a body with the name `x` instead of the default, and the record read from it. */
const NAMES: readonly (readonly [setting: string, read: Reader, body: Json, expected: object])[] = [
  ['envelope', enveloped, { x: { values: { a: 3 } } }, { content: { values: { a: 3 } } }],
  ['list.items', list, ROWS, { items: [1] }],
  ['list.embedded', list, { x: { items: [1] }, a: [], b: [] }, { items: [1] }],
  ['list.total', list, { items: [], x: 5 }, { total: 5 }],
  ['list.page', list, { items: [], x: { total: 5 } }, { total: 5 }],
  ['form.id', form, { x: 'f' }, { formId: 'f' }],
  ['form.name', form, { id: 'a', x: 'n' }, { name: 'n' }],
  ['form.description', form, { id: 'a', x: 'd' }, { description: 'd' }],
  ['form.version', form, { id: 'a', x: 'v' }, { version: 'v' }],
  ['form.fields', form, { id: 'a', x: [{ name: 'n' }] }, { fields: [{ name: 'n' }] }],
  ['form.fieldName', field, { x: 'n' }, { name: 'n' }],
  ['form.fieldLabel', field, { name: 'n', x: 'l' }, { label: 'l' }],
  ['form.fieldType', field, { name: 'n', x: 't' }, { type: 't' }],
  ['form.fieldRequired', field, { name: 'n', x: true }, { required: true }],
  ['form.fieldMultiple', field, { name: 'n', x: 1 }, { isMultiple: true }],
  ['form.fieldOptions', field, { name: 'n', x: ['o'] }, { options: ['o'] }],
  ['form.fieldReference', field, { name: 'n', x: 'r' }, { reference: 'r' }],
  ['form.fieldMaxLength', typedField, { name: 'n', x: 80 }, { maxLength: 80 }],
  ['form.fieldMin', typedField, { name: 'n', x: 0 }, { min: 0 }],
  ['form.fieldMax', typedField, { name: 'n', x: 5 }, { max: 5 }],
  ['form.optionValue', typedField, { name: 'n', options: [{ x: 1 }] }, { choices: [{ value: 1 }] }],
  [
    'form.optionLabel',
    typedField,
    { name: 'n', options: [{ id: 1, x: 'l' }] },
    { choices: [{ label: 'l' }] },
  ],
  ['instance.id', listed, { x: 5, values: {} }, { instanceId: '5' }],
  ['instance.values', content, { x: { amount: 3 } }, { values: { amount: 3 } }],
  ['case.id', activity, { x: 5 }, { caseId: '5' }],
  ['rule.parameters', parameters, { x: [{ name: 'n' }], others: [] }, { name: 'n' }],
  ['rule.outputs', outputs, { x: [{ name: 'n' }], others: [] }, { name: 'n' }],
  ['error.message', error, { x: 'm' }, { reason: 'm' }],
  ['error.code', error, { x: 'c' }, { errorCode: 'c' }],
  ['error.fields', error, { x: { f: 'm' } }, REFUSED],
  ['error.fieldName', error, { errors: [{ x: 'f', message: 'm' }] }, REFUSED],
  ['error.fieldMessage', error, { errors: [{ field: 'f', x: 'm' }] }, REFUSED],
];

/** Names for requests. They have tests of their own. */
const WRITTEN = [
  'form.writtenDecimal',
  'form.writtenReference',
  'form.writtenBoolean',
  'form.datetime',
  'form.writtenDatetime',
  'form.assumedOffset',
  'instance.written',
  'case.process',
  'case.written',
  'token.value',
  'token.username',
  'token.password',
  'token.grantType',
  'search.separator',
  'search.formId',
  'search.instanceId',
];

describe('a dialect name', () => {
  it.each(NAMES)('%s is used', (setting, read, body, expected) => {
    const [section = '', member] = setting.split('.');
    const dialect = dialectOf({ [section]: member === undefined ? ['x'] : { [member]: ['x'] } });

    expect(read(body, dialect)).toMatchObject(expected);
  });

  it('has a row in the table above, unless it is only written', () => {
    const { envelope: _, adapter: _adapter, ...sections } = dialectOf();
    const tested = NAMES.map(([setting]) => setting);
    const untested = Object.entries(sections).flatMap(([section, members]) =>
      Object.entries(members)
        .filter(([, value]) => Array.isArray(value) || typeof value === 'string')
        .map(([name]) => `${section}.${name}`)
        .filter((setting) => !tested.includes(setting)),
    );

    expect(untested).toEqual(WRITTEN);
  });

  it.each([
    ['ftp://login.example/oauth', false],
    ['https://user:canary@login.example/oauth', false],
    ['https://login.example/oauth', true],
    ['/auth/oauth', true],
    ['oauth', true],
  ])('leads to getToken by token.url: %s is taken: %s', (url, isTaken) => {
    expect('value' in readDialect({ token: { url } })).toBe(isTaken);
  });

  it('leads to the id of a reference', () => {
    const dialect = dialectOf({ instance: { id: ['x'] }, form: { optionValue: ['y'] } });

    expect(decodeReference({ x: 7, id: 8 }, 'supplier', dialect)).toBe('7');
    expect(decodeReference({ y: 7, id: 8 }, 'supplier', dialect)).toBe('7');
  });

  it('takes precedence over later ones of its list', () => {
    const dialect = dialectOf({ form: { name: ['second', 'first'] } });

    expect(decodeForm({ id: 'a', first: '1', second: '2' }, dialect).name).toBe('2');
    expect(decodeForm({ id: 'a', first: '1', second: null }, dialect).name).toBe('1');
  });
});

const problemsOf = (file: unknown) => {
  const reading = readDialect(file);
  return 'problems' in reading ? reading.problems : [];
};

describe('the dialect', () => {
  it('keeps the defaults of everything that a file omits, also within a section', () => {
    const reading = readDialect({
      list: { maxPageSize: 20 },
      search: { operators: { LIKE: null } },
    });

    const { list, search, ...others } = dialectOf();
    const operators = { ...search.operators, LIKE: null };
    expect(reading).toEqual({
      value: { ...others, list: { ...list, maxPageSize: 20 }, search: { ...search, operators } },
    });
  });

  it.each([
    [{ lists: {} }, /^the whole: .*"lists"/],
    [{ list: { itemz: ['rows'] } }, /^list: .*"itemz"/],
    [{ search: { operators: { ILIKE: 'ilike' } } }, /^search\.operators: .*"ILIKE"/],
    [{ list: { items: [] } }, /^list\.items: /],
    [{ list: { items: 'rows' } }, /^list\.items: /],
    [{ list: { items: ['rows', ''] } }, /^list\.items\.1: /],
    [{ list: { maxPageSize: 0 } }, /^list\.maxPageSize: /],
    [{ list: { maxPageSize: 1.5 } }, /^list\.maxPageSize: /],
    [{ case: { process: '' } }, /^case\.process: /],
    [{ search: { separator: '' } }, /^search\.separator: /],
    [{ token: { assumedLifetimeMs: 0 } }, /^token\.assumedLifetimeMs: /],
    [{ error: { retryAfterMs: -1 } }, /^error\.retryAfterMs: /],
    [{ error: null }, /^error: /],
    [null, /^the whole: /],
  ])('rejects %j, with its place', (file, problem) => {
    expect(problemsOf(file)).toEqual([expect.stringMatching(problem)]);
  });

  it('reports every problem at once', () => {
    const problems = problemsOf({
      list: { maxPageSize: 0 },
      form: { naam: ['x'] },
      search: { separator: '' },
    });

    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'list.maxPageSize',
      'form',
      'search.separator',
    ]);
  });
});
