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
} from '../../src/upstream/decoders.ts';
import type { Dialect } from '../../src/upstream/dialect.ts';
import { readDialect } from '../../src/upstream/dialect.ts';
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
const enveloped: Reader = (body, dialect) =>
  expectAnswer(getFormIntance, { formId: 'a', instanceId: '1' }, dialect).decode({
    status: 200,
    headers: {},
    text: '',
    body,
  });
const outputs: Reader = (body, dialect) => {
  const args = { component: 'c', version: '1', parameters: [] };
  return expectAnswer(execute, args, dialect).decode({
    status: 200,
    headers: {},
    text: '',
    body,
  })[0];
};
const error: Reader = (body, dialect) =>
  toError(
    { operation: 'x', kind: 'read' },
    { status: 400, headers: {}, text: JSON.stringify(body) },
    dialect,
  );

const X = ['x'];
const ROWS = { x: [1], rows: [] };

/**
 * For each setting: names, a body with another name than the default, and the record read from it.
 */
const NAMES: readonly (readonly [
  setting: string,
  value: unknown,
  read: Reader,
  body: Json,
  expected: object,
])[] = [
  [
    'envelope',
    X,
    enveloped,
    { x: { values: { amount: 3 } } },
    { content: { values: { amount: 3 } } },
  ],
  ['list.items', X, list, ROWS, { items: [1] }],
  ['list.embedded', X, list, { x: { items: [1] }, a: [], b: [] }, { items: [1] }],
  ['list.total', X, list, { items: [], x: 5 }, { total: 5 }],
  ['list.page', X, list, { items: [], x: { total: 5 } }, { total: 5 }],
  ['form.id', X, form, { x: 'f' }, { formId: 'f' }],
  ['form.name', X, form, { id: 'a', x: 'n' }, { name: 'n' }],
  ['form.description', X, form, { id: 'a', x: 'd' }, { description: 'd' }],
  ['form.version', X, form, { id: 'a', x: 'v' }, { version: 'v' }],
  ['form.fields', X, form, { id: 'a', x: [{ name: 'n' }] }, { fields: [{ name: 'n' }] }],
  ['form.fieldName', X, field, { x: 'n' }, { name: 'n' }],
  ['form.fieldLabel', X, field, { name: 'n', x: 'l' }, { label: 'l' }],
  ['form.fieldType', X, field, { name: 'n', x: 't' }, { type: 't' }],
  ['form.fieldRequired', X, field, { name: 'n', x: true }, { required: true }],
  ['form.fieldMultiple', X, field, { name: 'n', x: 1 }, { isMultiple: true }],
  ['form.fieldOptions', X, field, { name: 'n', x: ['o'] }, { options: ['o'] }],
  ['form.fieldReference', X, field, { name: 'n', x: 'r' }, { reference: 'r' }],
  ['instance.id', X, listed, { x: 5, values: {} }, { instanceId: '5' }],
  ['instance.values', X, content, { x: { amount: 3 } }, { values: { amount: 3 } }],
  ['case.id', X, activity, { x: 5 }, { caseId: '5' }],
  ['rule.parameters', X, parameters, { x: [{ name: 'n' }], others: [] }, { name: 'n' }],
  ['rule.outputs', X, outputs, { x: [{ name: 'n' }], others: [] }, { name: 'n' }],
  ['error.message', X, error, { x: 'm' }, { reason: 'm' }],
  ['error.code', X, error, { x: 'c' }, { errorCode: 'c' }],
  ['error.fields', X, error, { x: { f: 'm' } }, { fields: [{ field: 'f', message: 'm' }] }],
  [
    'error.fieldName',
    X,
    error,
    { errors: [{ x: 'f', message: 'm' }] },
    { fields: [{ field: 'f', message: 'm' }] },
  ],
  [
    'error.fieldMessage',
    X,
    error,
    { errors: [{ field: 'f', x: 'm' }] },
    { fields: [{ field: 'f', message: 'm' }] },
  ],
];

/** Names for requests and for typed fields. They have tests of their own. */
const WRITTEN = {
  form: [
    'fieldMaxLength',
    'fieldMin',
    'fieldMax',
    'optionValue',
    'optionLabel',
    'writtenDecimal',
    'writtenReference',
    'writtenBoolean',
    'datetime',
    'writtenDatetime',
    'assumedOffset',
  ],
  instance: ['written'],
  case: ['process', 'written'],
  token: ['value', 'username', 'password', 'grantType'],
  search: ['separator', 'formId', 'instanceId'],
};

const fileWith = (setting: string, value: unknown): object =>
  setting
    .split('.')
    .reduceRight<unknown>((inner, member) => ({ [member]: inner }), value) as object;

describe('a dialect name', () => {
  it.each(NAMES)('%s is used', (setting, value, read, body, expected) => {
    expect(read(body, dialectOf(fileWith(setting, value)))).toMatchObject(expected);
  });

  it('has a row in the table above, unless it is only written', () => {
    const { envelope: _, adapter: _adapter, ...sections } = dialectOf();
    const untested = Object.entries(sections).flatMap(([section, members]) => {
      const names = Object.entries(members).filter(
        ([, value]) => Array.isArray(value) || typeof value === 'string',
      );
      const left = names
        .map(([name]) => name)
        .filter((name) => !NAMES.some(([tested]) => tested === `${section}.${name}`));
      return left.length > 0 ? [[section, left]] : [];
    });

    expect(Object.fromEntries(untested)).toEqual(WRITTEN);
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
    [{ instance: { written: '' } }, /^instance\.written: /],
    [{ case: { process: '' } }, /^case\.process: /],
    [{ search: { separator: '' } }, /^search\.separator: /],
    [{ token: { assumedLifetimeMs: 0 } }, /^token\.assumedLifetimeMs: /],
    [{ error: { retryAfterMs: -1 } }, /^error\.retryAfterMs: /],
    [{ error: null }, /^error: /],
    [[], /^the whole: /],
    ['dialect', /^the whole: /],
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
