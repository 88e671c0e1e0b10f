import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { expectAnswer, type Understood } from '../../src/upstream/answer.ts';
import type { ResponseHeaders } from '../../src/upstream/records.ts';
import { executeCurrentActivity, startCase } from '../../src/upstream/resources/cases.ts';
import { getForm, getForms } from '../../src/upstream/resources/forms.ts';
import {
  createFormIntance,
  deleteFormIntance,
  getFormIntance,
  getFormIntances,
  updateFormIntance,
  updateValuesOfFormIntance,
} from '../../src/upstream/resources/instances.ts';
import { execute, getParameters } from '../../src/upstream/resources/rules.ts';
import { dialectOf } from './support/open.ts';

const dialect = dialectOf();
/** The fields of the form `f`, if its definition is known. */
const KNOWN = new Set(['title', 'amount']);

const KEY = { formId: 'f', instanceId: '1' };
const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };
const RULE = { component: 'r', version: '1' };

interface Response {
  readonly status?: number;
  readonly headers?: ResponseHeaders;
  readonly fields?: ReadonlySet<string> | undefined;
}

/** Decodes a 2xx response: its record, or the failure. */
function read<A, T>(
  of: Understood<A, T>,
  args: A,
  body: Json | undefined,
  response: Response = {},
) {
  const { status = 200, headers = {}, fields } = response;
  try {
    return expectAnswer(of, args, dialect, fields).decode({ status, headers, text: '', body });
  } catch (error) {
    if (error instanceof UpstreamError) return error.failure;
    throw error;
  }
}

const readOne = (body: Json | undefined, fields?: ReadonlySet<string>) => {
  const read_ = read(getFormIntance, KEY, body, { fields });
  return typeof read_ === 'object' ? read_.content?.values : read_;
};
const update = (body: Json | undefined, fields?: ReadonlySet<string>) =>
  read(updateValuesOfFormIntance, { ...KEY, values: {} }, body, { status: 202, fields }) ?? 'done';
const create = (body: Json | undefined, response?: Response) => {
  const created = read(createFormIntance, { formId: 'f', values: {} }, body, {
    status: 201,
    ...response,
  });
  return typeof created === 'object' ? created.instanceId : created;
};
const start = (body: Json | undefined, response?: Response) => {
  const started = read(startCase, { process: 'p' }, body, { status: 201, ...response });
  return typeof started === 'object' ? [started.caseId, started.activity?.activityId] : started;
};
const outputs = (body: Json | undefined) => {
  const found = read(execute, { ...RULE, parameters: [] }, body);
  return Array.isArray(found) ? found.map(({ name }) => name) : found;
};

const CODE = { errorCode: 'VALIDATION', message: 'locked' };
const VALUES = { title: 'A' };

/** Bodies that describe an error, without anything of a record. */
const REFUSALS: readonly Json[] = [
  CODE,
  { ...CODE, success: false },
  { ...CODE, traceId: 'abc', timestamp: 1, path: '/x' },
  { ...CODE, violations: [{ field: 'title', message: 'locked' }] },
  { ...CODE, data: null },
  { ...CODE, data: {} },
  { errorCode: 17 },
  { success: false, message: 'locked' },
  { ok: false },
  { status: 'error', message: 'locked' },
  { status: 'FAILED' },
  { status: 422 },
  { statusCode: '422', message: 'locked' },
  { code: 404, message: 'gone' },
  { error: CODE },
  { error: { code: 'LOCKED' } },
  { error: 'locked' },
  { error: true },
  { error: { code: 200, message: 'Server Error' } },
  { result: false },
  { isSuccess: false },
  { result: 'ERROR' },
  { isError: true, message: 'locked' },
  { hasErrors: true },
  { errorMessage: 'locked' },
  { Fault: { faultstring: 'locked' } },
  { exception: 'ValidationError' },
  { success: 0 },
  { errors: [CODE] },
  { errors: [{ code: 'LOCKED' }] },
  { errors: ['locked'] },
  { errors: { title: ['locked'] } },
  { fault: { faultstring: 'locked', detail: { errorcode: 'x' } } },
  { status: 'fail', data: { title: 'is locked' } },
  [CODE],
  [null, { error: { code: 'LOCKED' } }],
];

/** Acknowledgements, and members that report success. */
const ACKNOWLEDGEMENTS: readonly (Json | undefined)[] = [
  undefined,
  null,
  {},
  [],
  'OK',
  { status: 'OK' },
  { message: 'done' },
  { success: true },
  { errorCode: 0, message: 'OK' },
  { errorCode: '0' },
  { errorCode: '' },
  { errorCode: null, message: null },
  { errorCode: 'SUCCESS', code: 200 },
  { error: null, errors: [] },
  { isError: false, errorMessage: '', exception: null },
  { error: '', fault: {} },
  { error: { code: 0 } },
  { error: { code: null, message: '' } },
];

describe('a body that describes an error', () => {
  it.each(REFUSALS)('refuses reads and changes: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      expect([readOne(body, fields), update(body, fields)]).toEqual(['rejected', 'rejected']);
      expect(read(deleteFormIntance, KEY, body, { fields })).toBe('rejected');
      expect(create(body, { fields })).toBe('rejected');
    }
    const lists = [read(getFormIntances, { ...KEY, ...PAGE }, body), read(getForms, PAGE, body)];
    const others = [
      read(getForm, KEY, body),
      read(getParameters, RULE, body),
      start(body),
      outputs(body),
    ];
    expect([...lists, ...others].every((one) => one === 'rejected')).toBe(true);
  });

  it.each([
    [{ status: 503, message: 'down' }, 'failed'],
    [{ status: 403, errorCode: 'E' }, 'forbidden'],
    [{ status: 401, errorCode: 'E' }, 'rejected'],
    [{ status: 404, errorCode: 'E' }, 'rejected'],
    [{ status: 410, errorCode: 'E' }, 'rejected'],
    [{ error: { code: 429 } }, 'rate-limited'],
    [{ errors: [{ errorCode: 'REQUEST_LIMIT_EXCEEDED' }] }, 'rate-limited'],
    [[{ message: 'slow down', errorCode: 'REQUEST_LIMIT_EXCEEDED' }], 'rate-limited'],
  ])('has the status that it states, but for a token and an absence: %j is %s', (body, failure) => {
    expect([readOne(body), update(body)]).toEqual([failure, failure]);
  });
});

describe('a body of the type of RFC 9457', () => {
  const headers = { 'content-type': 'application/problem+json' };

  it('refuses, whatever its members are', () => {
    const body = { title: 'Locked', detail: 'It is locked' };
    const updated = read(updateValuesOfFormIntance, { ...KEY, values: {} }, body, {
      headers,
      fields: new Set(['x']),
    });

    expect([updated, create(body, { headers }), start(body, { headers })]).toEqual(
      Array(3).fill('rejected'),
    );
  });
});

describe('a body that reports success', () => {
  it.each(ACKNOWLEDGEMENTS)('confirms an update and a rule, and is no record: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      expect(update(body, fields)).toBe('done');
      expect([readOne(body, fields), create(body, { fields })]).toEqual([
        'malformed',
        'outcome-unknown',
      ]);
    }
    expect(start(body)).toBe('outcome-unknown');
    if (body !== 'OK') expect(outputs(body)).toEqual([]);
  });
});

describe('an update', () => {
  it.each<Json>([
    { idInstance: 1, values: VALUES },
    { idInstance: 1, title: 'A', status: 'error' },
    { title: 'A', code: 'A-17' },
    { result: true },
    [{ name: 'title', value: 'A' }],
    [{ idInstance: 1, title: 'A', status: 'error' }],
    { data: { idInstance: 1, title: 'A' } },
    { idInstance: 1, code: 'A-17' },
  ])('is confirmed by a copy of its record: %j', (body) => {
    expect(update(body, KNOWN)).toBe('done');
  });

  it.each<Json>([
    { ...CODE, idInstance: 1 },
    { ...CODE, idInstance: 1, values: VALUES },
    { success: false, idInstance: 1 },
    { status: 'fail', data: { idInstance: 1, title: 'A' } },
    { code: 'LOCKED', message: 'locked' },
    { idInstance: 1, title: 'A', success: false, errors: ['late'] },
    { idInstance: 1, status: 'error' },
    false,
    'FAILED',
  ])('has an unknown outcome where a body may mean either: %j', (body) => {
    expect(update(body, KNOWN)).toBe('outcome-unknown');
  });

  it.each<Json>([
    0,
    { affected: 0 },
    { affectedRows: 0, changedRows: 0 },
    { rows_affected: '0' },
    { modifiedCount: 0, acknowledged: true },
    { n: 0, nModified: 0, ok: 1 },
    { updated: false },
    { count: 0 },
    { id: 1, deleted: false },
    { result: { deletedCount: 0 } },
    { data: { affectedRows: 0 } },
  ])('has an unknown outcome where a count says that nothing was changed: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      expect(update(body, fields)).toBe('outcome-unknown');
      expect(read(deleteFormIntance, KEY, body, { fields })).toBe('outcome-unknown');
    }
  });

  it.each<Json>([
    { affectedRows: 1 },
    { unchanged: 0 },
    { deleted: true },
    { idInstance: 1, amount: 0, deleted: false },
    { amount: 1, updated: 0 },
    { data: { idInstance: 1, amount: 1, deletedCount: 0 } },
    { lastModifiedBy: 0 },
  ])('is confirmed beside any other count: %j', (body) => {
    expect(update(body, KNOWN)).toBe('done');
  });

  it.each<Json>([
    { Status: 'ERROR' },
    { STATUS: 'failed' },
    { status: 'rejected' },
    { state: 'error' },
    { outcome: 'failure' },
    { responseStatus: 'ERROR' },
    { resultCode: 'E001' },
    { responseCode: 401, message: 'denied' },
    { ErrorCode: 'E1', ErrorMessage: 'x' },
    { error_code: 0, error_text: 'x' },
    { errcode: 40001, errmsg: 'invalid' },
    { Error: 'x' },
    { Errors: ['x'] },
    { exceptionMessage: 'x' },
    { faultCode: 'X' },
    { success: 'no' },
    { IsError: true },
    { acknowledged: false },
    { accepted: false },
    { isValid: false },
  ])('has an unknown outcome where a name of its own may state a failure: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      expect(update(body, fields)).toBe('outcome-unknown');
      expect(read(deleteFormIntance, KEY, body, { fields })).toBe('outcome-unknown');
      expect(typeof readOne(body, fields)).toBe('string');
    }
  });

  it.each<Json>([
    { Status: 'SUCCESS', ErrorCode: '0', ErrorMessage: null },
    { errcode: 0, errmsg: 'ok' },
    { responseCode: 200 },
    { failed: 0, failures: [] },
    { isDefault: true, preferred: 'x', transferred: 1 },
    { idInstance: 1, status: 'rejected' },
    { amount: 1, state: 'rejected', lastError: 'x' },
  ])('is confirmed by other values of such names: %j', (body) => {
    expect(update(body, KNOWN)).toBe('done');
  });

  it('is not confirmed by a record with another id', () => {
    const others = [
      { idInstance: 2 },
      { id: '2', title: 'A' },
      { result: { id: 2 } },
      [{ idInstance: 2, amount: 1 }],
    ];

    for (const body of others) {
      expect(update(body, KNOWN)).toBe('outcome-unknown');
      expect(read(deleteFormIntance, KEY, body, { fields: KNOWN })).toBe('outcome-unknown');
    }
    expect(update({ id: 'b5c7f9f0-1f0e-4a53', status: 'OK' }, KNOWN)).toBe('done');
  });
});

describe('a refusal of a form whose fields are called like members of errors', () => {
  it.each<[Json, string]>([
    [{ status: 'error', message: 'locked' }, 'message'],
    [{ errorCode: 'LOCKED', message: 'locked' }, 'message'],
    [{ success: false, error: 'locked' }, 'error'],
    [{ timestamp: 't', status: 409, error: 'Conflict', path: '/x' }, 'path'],
  ])('is no record, and may be no confirmation: %j', (body, field) => {
    const fields = new Set([field, 'amount']);

    expect(readOne(body, fields)).toBe('rejected');
    expect(update(body, fields)).toBe('outcome-unknown');
  });

  it.each<Json>([
    { title: 'Conflict', status: 409, detail: 'locked' },
    { success: false, fields: { title: 'locked' } },
    { error: 'invalid', fields: [{ name: 'title', value: 'A' }] },
  ])('may be no confirmation where it has a heading or messages by field: %j', (body) => {
    expect(update(body, KNOWN)).toBe('outcome-unknown');
  });

  it.each<[Json, string, string]>([
    [{ success: false }, 'success', 'rejected'],
    [{ status: 'error' }, 'status', 'rejected'],
    [{ errorCode: 'E', status: 'error' }, 'status', 'rejected'],
    [{ title: 'Conflict', status: 409, detail: 'locked' }, 'title', 'rejected'],
    [{ type: 'about:blank', title: 'Conflict', status: 409 }, 'type', 'rejected'],
    [{ success: false, description: 'locked' }, 'description', 'rejected'],
    [{ error: 'locked', data: { description: 'locked' } }, 'description', 'rejected'],
    [{ data: { title: 'Conflict', status: 409 } }, 'title', 'malformed'],
    [{ message: 'boom' }, 'message', 'malformed'],
    [{ data: { message: 'boom' } }, 'message', 'malformed'],
  ])('is no record where it has no other field, %j of %j: %s', (body, field, failure) => {
    expect(readOne(body, new Set([field, 'amount']))).toBe(failure);
  });

  it('is an unknown outcome of a change where it may be a copy', () => {
    expect(update({ success: false }, new Set(['success']))).toBe('outcome-unknown');
    expect(update({ data: { title: 'Conflict', status: 409 } }, KNOWN)).toBe('outcome-unknown');
    expect(update({ message: 'A' }, new Set(['message']))).toBe('done');
  });

  it.each<Json>([
    { title: 'Conflict', status: 409, detail: 'locked' },
    { type: 'about:blank', title: 'Conflict', status: 409 },
    { success: false, reason: 'locked' },
  ])('is no record where the fields of the form are unknown: %j', (body) => {
    expect(readOne(body)).toBe('rejected');
  });

  it('is not in the place of a record in an envelope', () => {
    const body = { message: 'OK', data: { idInstance: 1, amount: 1 } };

    expect(readOne(body, new Set(['message', 'amount']))).toEqual({ amount: 1 });
  });

  it.each<[Json, string]>([
    [{ idInstance: 1, status: 'error', message: 'A' }, 'message'],
    [{ status: 'error', message: 'A', amount: 1 }, 'message'],
    [{ title: 'A' }, 'title'],
    [{ idInstance: 1, title: 'A', status: 409 }, 'title'],
  ])('is not what a record is: %j', (body, field) => {
    const fields = new Set([field, 'amount']);

    expect(readOne(body, fields)).toMatchObject({ [field]: (body as JsonObject)[field] });
    expect(update(body, fields)).toBe('done');
  });
});

describe('a change whose envelope has an error', () => {
  it.each<Json>([
    { data: { errorCode: 'LOCKED', message: 'locked' } },
    { data: { id: 1, errorCode: 'LOCKED' } },
    { data: { id: 1, status: 'error' } },
    { result: { success: false } },
    { d: { error: { code: 'LOCKED' } } },
    { response: { errorCode: 'LOCKED' } },
    { response: { result: { status: 'error' } } },
    { results: [{ success: false, errors: [CODE] }] },
    { compositeResponse: [{ httpStatusCode: 409, body: [CODE] }] },
  ])('is not confirmed: %j', (body) => {
    expect([update(body), update(body, KNOWN)]).toEqual(Array(2).fill('outcome-unknown'));
  });

  it.each<Json>([
    { data: { id: 1, status: 'error', amount: 1 } },
    { data: { errorCode: 0, message: 'OK' } },
    { response: { code: 'UPDATED' } },
    { idInstance: 1, amount: 1, last: { status: 'error' } },
    { data: { idInstance: 1, amount: 1, last: { status: 'error' } } },
    { data: {} },
  ])('is confirmed by anything else: %j', (body) => {
    expect([update(body), update(body, KNOWN)]).toEqual(Array(2).fill('done'));
  });

  it('is confirmed by a field of the form, where it is known to be one', () => {
    const body = { data: { status: 'error', amount: 1 } };

    expect([update(body), update(body, KNOWN)]).toEqual(['outcome-unknown', 'done']);
  });
});

describe('an instance', () => {
  it.each<[string, Json, object, ReadonlySet<string>?]>([
    ['by its id', { idInstance: 1 }, {}],
    ['by its values', { values: VALUES }, VALUES],
    ['by a sequence', [{ name: 'title', value: 'A' }], VALUES, KNOWN],
    ['flat, by a field of its form', { title: 'A' }, VALUES, KNOWN],
    ['flat, where its fields are unknown', { title: 'A' }, VALUES],
    ['beside an error code, by its values', { ...CODE, values: VALUES }, VALUES],
    ['beside an error code, by a field', { ...CODE, amount: 1 }, { ...CODE, amount: 1 }, KNOWN],
    [
      'with fields called like those of errors',
      { errorCode: 'E', status: 'error', amount: 1 },
      {
        errorCode: 'E',
        status: 'error',
        amount: 1,
      },
      new Set(['errorCode', 'status', 'amount']),
    ],
    [
      'flat beside an id, with members of errors',
      { idInstance: 1, status: 'error', message: 'x' },
      {
        status: 'error',
        message: 'x',
      },
    ],
    ['without a value of any field', { idInstance: 1, values: {} }, {}, KNOWN],
    ['beside a title of its own', { idInstance: 1, title: 'B', values: {} }, {}, KNOWN],
    [
      'flat, with a field called like the values',
      { idInstance: 1, values: { a: 1 }, title: 'A' },
      { values: { a: 1 }, title: 'A' },
      new Set(['values', 'title']),
    ],
    ['whose values are null', { idInstance: 1, values: null }, {}, KNOWN],
    [
      'with values of fields that the form has lost',
      { idInstance: 1, values: { old: 1 } },
      { old: 1 },
      KNOWN,
    ],
    ['in an envelope', { result: { idInstance: 1, title: 'A' } }, VALUES, KNOWN],
    ['in an envelope, by a field', { data: { title: 'A' }, meta: {} }, VALUES, KNOWN],
    ['in an envelope, where its fields are unknown', { d: { title: 'A' } }, VALUES],
    [
      'in an envelope beside an error code of success',
      { errorCode: 0, data: { values: VALUES } },
      VALUES,
    ],
    [
      'in an envelope of an answer with an id',
      { id: 'a-7', result: { idInstance: 1, title: 'A' } },
      VALUES,
      KNOWN,
    ],
    [
      'beside a member called result',
      { title: 'A', result: { title: 'B' } },
      {
        title: 'A',
        result: { title: 'B' },
      },
      KNOWN,
    ],
    [
      'beside a heading',
      [{ name: 'title', value: 'A' }, { label: 'Totals' }, null, { name: null }],
      VALUES,
      KNOWN,
    ],
  ])('is recognised %s', (_how, body, values, fields) => {
    expect(readOne(body, fields)).toEqual(values);
  });

  it.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['null', null],
    ['a list of instances', [{ idInstance: 1, values: VALUES }]],
    ['a sequence of other names', [{ name: 'other', value: 'A' }]],
    ['an empty sequence', []],
    ['a member that is no field', { state: 'OK' }],
    ['another id', { idInstance: 99, values: VALUES }],
    ['another id in an envelope', { data: { idInstance: 99, values: VALUES } }],
    ['an id beside an error code, in an envelope', { data: { ...CODE, idInstance: 1 } }],
    ['values as a text', { idInstance: 1, values: '{"title":"A"}' }],
    [
      'a value without a name',
      { idInstance: 1, values: [{ name: 'title', value: 'A' }, { value: 5 }] },
    ],
    ['values by id', { idInstance: 1, values: { 3: { name: 'title', answer: 'A' } } }],
    ['values under an unknown member', { idInstance: 1, answers: { title: 'A' } }],
    ['an unknown envelope', { content: { idInstance: 1, values: VALUES } }],
  ])('is not recognised from %s', (_what, body) => {
    expect(readOne(body, KNOWN)).toBe('malformed');
  });

  it('is the same whether answers in envelopes and bare ones alternate', () => {
    const bare = { idInstance: 1, title: 'A', result: { title: 'B' } };
    const answers = [bare, { result: { idInstance: 1, title: 'C' } }, bare, { data: bare }, bare];

    const titles = answers.map((body) => (readOne(body, KNOWN) as { title: string }).title);

    expect(titles).toEqual(['A', 'C', 'A', 'A', 'A']);
  });
});

describe('a form', () => {
  it('keeps members that are called like those of errors', () => {
    const definition = {
      idForm: 'f',
      name: 'F',
      code: 'X',
      status: 'error',
      error: 'x',
      errors: [],
      success: false,
    };

    expect(read(getForm, KEY, definition)).toMatchObject({ formId: 'f', definition });
    expect(read(getForm, KEY, { data: definition })).toMatchObject({ formId: 'f', definition });
  });

  it.each<Json>([{}, { name: 'Error', message: 'boom' }, { idForm: 'g', fields: [] }, []])(
    'is not recognised from %j',
    (body) => {
      expect(read(getForm, KEY, body)).toBe('malformed');
    },
  );
});

describe('the id of an instance', () => {
  it('may be among the fields of its form, or be called like one of them', () => {
    const idOf = (row: Json, names: readonly string[]) => {
      const page = read(getFormIntances, { ...KEY, ...PAGE }, [row], { fields: new Set(names) });
      return typeof page === 'object' ? page.items[0] : page;
    };

    expect(idOf({ idInstance: 7, id: 'uuid', title: 'A' }, ['idInstance', 'title'])).toMatchObject({
      instanceId: '7',
    });
    expect(idOf({ idInstance: 7, id: 'P-1', title: 'A' }, ['id', 'title'])).toMatchObject({
      instanceId: '7',
    });
    expect(readOne({ id: 'P-1', title: 'A' }, new Set(['id', 'title']))).toEqual({
      id: 'P-1',
      title: 'A',
    });
  });
});

describe('a list', () => {
  it.each<Json>([
    [{ idInstance: 1, errorCode: 'E', status: 'error' }],
    { items: [{ idInstance: 1, values: VALUES }], success: false },
    [[{ name: 'idInstance', value: 1 }]],
  ])('is recognised by a row, also beside an error: %j', (body) => {
    expect(read(getFormIntances, { ...KEY, ...PAGE }, body)).toMatchObject({
      items: [{ instanceId: '1' }],
    });
  });

  it.each<Json>([
    { ...CODE, items: [] },
    { success: false, data: [] },
    { error: 'locked', items: [] },
    { ...CODE, details: [] },
    { errors: [{ code: 'LOCKED' }] },
  ])('that is empty beside an error is refused: %j', (body) => {
    expect(read(getFormIntances, { ...KEY, ...PAGE }, body)).toBe('rejected');
  });

  it('has an error in the place of a row whose id is no integer of 64 bits', () => {
    const ids = ['7', 'K-1', 7.5, '123456789012345678901'];
    const rows = ids.map((idInstance) => ({ idInstance, title: 'A' }));
    const listOf = (items: Json) =>
      read(getFormIntances, { ...KEY, ...PAGE }, items, { fields: KNOWN });

    const errors = Array(3).fill(expect.any(UpstreamError));
    expect(listOf(rows)).toMatchObject({ items: [{ instanceId: '7' }, ...errors] });
    expect(listOf(rows.slice(1))).toBe('malformed');
  });

  it('is malformed where the fields of the form stand elsewhere in its rows', () => {
    const row = { idInstance: 1, answers: { 3: { name: 'title', answer: 'A' } } };

    expect(read(getFormIntances, { ...KEY, ...PAGE }, [row, row], { fields: KNOWN })).toBe(
      'malformed',
    );
  });

  it.each<Json>([{ state: 'OK', errors: [] }, { failures: [] }, { message: 'none', Errors: [] }])(
    'is not the array of errors: %j',
    (body) => {
      expect(read(getFormIntances, { ...KEY, ...PAGE }, body)).toBe('malformed');
    },
  );

  it('may have rows without any field, such as drafts', () => {
    const draft = { idInstance: 2, createdBy: { name: 'x', title: 'Dr' } };
    const page = read(
      getFormIntances,
      { ...KEY, ...PAGE },
      [draft, { idInstance: 1, title: 'A' }],
      { fields: KNOWN },
    );

    expect(page).toMatchObject({ items: [{ instanceId: '2' }, { instanceId: '1' }] });
  });
});

describe('a creation', () => {
  const location = '/v1.0/forms/f/instances/7';
  const self = [{ rel: 'self', href: `https://h${location}?x=1` }];

  it.each<[string, Json | undefined, Response]>([
    ['an id', { idInstance: 7 }, {}],
    ['an id beside members of errors', { idInstance: 7, status: 'error', title: 'A' }, {}],
    ['an id in an envelope', { result: { idInstance: 7, title: 'A' } }, {}],
    ['a bare number', 7, {}],
    ['a bare text', '7', {}],
    ['Location', undefined, { headers: { location } }],
    ['Location beside an acknowledgement', { status: 'CREATED' }, { headers: { location } }],
    ['Location before a bare text', '8', { headers: { location } }],
    [
      'Location where the id in the body cannot be in a path',
      { id: 'a-b' },
      { headers: { location } },
    ],
    [
      'Location where the id is a field of the form',
      { id: '8' },
      {
        headers: { location },
        fields: new Set(['id']),
      },
    ],
    ['an id that is a field of the form', { id: 7 }, { fields: new Set(['id']) }],
    ['a self link', { links: self }, {}],
    [
      'an address of OData',
      undefined,
      { status: 204, headers: { location: 'https://h/items(7)' } },
    ],
    ['an address of its own', undefined, { headers: { location: 'https://h/orders/7' } }],
    ['Location after 202', undefined, { status: 202, headers: { location: `/api${location}` } }],
    ['a Link header', undefined, { headers: { link: `<${location}>; rel="self"` } }],
  ])('is recognised by %s', (_by, body, response) => {
    expect(create(body, response)).toBe('7');
  });

  it.each<[string, Json | undefined, Response]>([
    ['a bare number after 200', 7, { status: 200 }],
    ['a bare text beside a Location without an id', '7', { headers: { location: '/done' } }],
    ['an id that is no integer', { idInstance: '0f8fad5b-d9cb-469f-a165-70867728950e' }, {}],
    ['an id of more than 64 bits', { idInstance: '123456789012345678901' }, {}],
    ['a task', { taskId: 'abc', status: 'PENDING' }, { status: 202 }],
    ['a Location of a form', undefined, { headers: { location: '/forms/7' } }],
    [
      'a Location of another form',
      undefined,
      { headers: { location: '/v1.0/forms/g/instances/7' } },
    ],
    ['a Location of a case', undefined, { headers: { location: '/v1.0/cases/7' } }],
    ['a Location of an activity', undefined, { headers: { location: '/cases/1/activities/7' } }],
    ['a Location of a task', undefined, { status: 202, headers: { location: '/tasks/7' } }],
    ['a self link to its form', { links: [{ rel: 'self', href: '/forms/7' }] }, {}],
    ['an id beside an error code, in an envelope', { data: { ...CODE, idInstance: 7 } }, {}],
    ['an id in an unknown envelope', { instance: { idInstance: 7 } }, {}],
    ['an id beside an error code', { ...CODE, idInstance: 7 }, {}],
    ['an id in an array beside a failure', [{ success: false, idInstance: 7 }], {}],
    ['an id beside a failure', { success: false, idInstance: 7 }, {}],
    ['a Location beside an error code', CODE, { headers: { location } }],
    [
      'an enveloped id beside a failure',
      { success: false, data: { idInstance: 7, title: 'A' } },
      {},
    ],
  ])('has an unknown outcome after %s', (_what, body, response) => {
    expect(create(body, response)).toBe('outcome-unknown');
  });

  it('has the values of the response, and no values of an acknowledgement', () => {
    const contentOf = (body: Json, fields?: ReadonlySet<string>) => {
      const created = read(createFormIntance, { formId: 'f', values: {} }, body, {
        status: 201,
        fields,
      });
      return typeof created === 'object' ? created.content?.values : created;
    };

    expect(contentOf({ data: { idInstance: 7, title: 'A' } }, KNOWN)).toEqual(VALUES);
    expect(contentOf({ idInstance: 7, status: 'CREATED', idForm: 'f' })).toBeUndefined();
    expect(contentOf({ idInstance: 7, state: 'new' }, KNOWN)).toBeUndefined();
    expect(
      contentOf({ idInstance: 7, values: [{ value: 1 }, { name: 'title' }] }, KNOWN),
    ).toBeUndefined();
  });
});

describe('a case', () => {
  const location = '/v1.0/cases/12';

  it.each<[string, Json | undefined, Response, readonly unknown[]]>([
    ['its id', { idCase: '12', cdActivity: 5 }, {}, ['12', '5']],
    ['an envelope', { data: { idCase: 12, activity: { cdActivity: 5 } } }, {}, ['12', '5']],
    [
      'its activities',
      { idCase: 12, activities: [{ cdActivity: 5 }, { cdActivity: 6 }] },
      {},
      ['12', '5'],
    ],
    ['no activities', { idCase: 12, activities: [] }, {}, ['12', undefined]],
    ['Location', undefined, { headers: { location } }, ['12', undefined]],
    ['a bare number', 12, {}, ['12', undefined]],
  ])('that was started is recognised by %s', (_by, body, response, expected) => {
    expect(start(body, response)).toEqual(expected);
  });

  it.each<Json>([
    { id: 12 },
    [{ idCase: 12 }],
    { idCase: '123456789012345678901' },
    { idCase: 12, cdActivity: 'approve' },
    { idCase: 12, errorCode: 'E' },
  ])('that was started has an unknown outcome after %j', (body) => {
    expect(start(body)).toBe('outcome-unknown');
  });

  it.each<[Json | undefined, unknown]>([
    [undefined, ['12', undefined]],
    [{ cdActivity: 6 }, ['12', '6']],
    [{ data: { idCase: 12, cdActivity: 6 } }, ['12', '6']],
    [{ status: 'OK' }, ['12', undefined]],
    [{ idCase: 13, cdActivity: 6 }, 'outcome-unknown'],
    [{ cdActivity: 6, status: 'failed' }, 'outcome-unknown'],
    [{ errorCode: 'E' }, 'rejected'],
  ])('whose activity was executed, with %j, is %j', (body, expected) => {
    const args = { caseId: '12', activityId: '5' };
    const executed = read(executeCurrentActivity, args, body, { status: 202 });

    expect(
      typeof executed === 'object' ? [executed.caseId, executed.activity?.activityId] : executed,
    ).toEqual(expected);
  });
});

describe('an executed rule', () => {
  const OUT = [{ name: 'o', value: 1 }];
  const IN = [{ name: 'i', value: 2 }];

  it.each<[string, Json]>([
    ['an array', OUT],
    ['an array whose entries have a status', [{ name: 'o', value: 1, status: 'error' }]],
    ['parameters', { parameters: OUT }],
    ['outputs beside its inputs', { inputParameters: IN, outputParameters: OUT }],
    ['an envelope', { data: { outputParameters: OUT } }],
    ['an array in an envelope', { result: OUT }],
    ['the only array', { values: OUT, status: 'OK' }],
  ])('has the outputs of %s', (_shape, body) => {
    expect(outputs(body)).toEqual(['o']);
  });

  it.each<Json>([
    { parameters: null },
    { inputParameters: IN },
    { outputParameters: [], inputParameters: IN },
  ])('may have no outputs: %j', (body) => {
    expect(outputs(body)).toEqual([]);
  });

  it.each<Json>([
    { o: 1 },
    { data: { o: 1 } },
    [{ o: 1 }],
    'text',
    5,
    { success: false, outputParameters: [] },
    { ...CODE, outputParameters: OUT },
    { status: 'error', o: 1 },
  ])('has an unknown outcome after %j', (body) => {
    expect(outputs(body)).toBe('outcome-unknown');
  });

  it('is declared by its parameters, also in an envelope', () => {
    const parameters = [{ name: 'i' }];
    const shapes = [
      { parameters },
      { args: parameters, name: 'r' },
      { data: { parameters } },
      { parameters: null },
    ];

    const found = shapes.map((body) => read(getParameters, RULE, body));

    expect(found).toMatchObject([
      { parameters },
      { parameters },
      { parameters },
      { parameters: [] },
    ]);
    expect(read(getParameters, RULE, { name: 'r' })).toBe('malformed');
    expect(read(getParameters, RULE, { parameters: [{ title: 'x' }] })).toBe('malformed');
  });
});

describe('a response that is not the promised one', () => {
  it.each<[Json, ReadonlySet<string>, RegExp]>([
    [
      { state: 'canary' },
      KNOWN,
      /^getFormIntance: .* not recognised .*idInstance, id \(instance\.id\); values, fields/,
    ],
    [{ state: 'canary' }, KNOWN, /data, result, d \(envelope\); the fields of the form/],
    [{ idInstance: 99, title: 'canary' }, KNOWN, /another id than the requested one/],
    [{ idInstance: 1, answers: { title: 'canary' } }, KNOWN, /fields of the form at another place/],
  ])('is described by what was looked for, without its values: %j', (body, fields, advice) => {
    const { decode } = expectAnswer(getFormIntance, KEY, dialect, fields);

    try {
      decode({ status: 200, headers: {}, text: '', body });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ failure: 'malformed', advice: expect.stringMatching(advice) });
      expect(JSON.stringify({ ...(error as object), cause: undefined })).not.toContain('canary');
    }
  });
});

/** Decodes an unrecognised response, and returns the error. */
function failureOf<A>(of: Understood<A, unknown>, args: A, body: Json): UpstreamError | undefined {
  const status = of.is === 'read' ? 200 : 202;
  try {
    expectAnswer(of, args, dialect, KNOWN).decode({ status, headers: {}, text: '', body });
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
  return undefined;
}

describe('a response of any operation that is not understood', () => {
  const CASE = { caseId: '12', activityId: '5' };
  const VALUED = { ...KEY, values: {} };
  const INSTANCE = ['idInstance, id (instance.id)', 'values, fields (instance.values)'];
  const ITEMS = [
    'items, data, results, content, forms, instances (list.items)',
    '_embedded (list.embedded)',
  ];
  const STARTED = ['idCase (case.id)'];
  const UNREAD = [{ kind: 'canary' }, 'canary', ['canary'], 5];

  it.each<[Understood<never, unknown>, object, readonly Json[], string, readonly string[]]>([
    [getForms, PAGE, UNREAD, 'malformed', ['idForm, id (form.id)', ...ITEMS]],
    [
      getForm,
      KEY,
      UNREAD,
      'malformed',
      ['idForm, id (form.id)', 'fields (form.fields)', '(envelope)'],
    ],
    [
      getFormIntances,
      { ...KEY, ...PAGE },
      UNREAD,
      'malformed',
      ['idInstance, id (instance.id)', ...ITEMS],
    ],
    [getFormIntance, KEY, UNREAD, 'malformed', [...INSTANCE, '(envelope)']],
    [createFormIntance, VALUED, UNREAD, 'outcome-unknown', [...INSTANCE, 'Location', 'self link']],
    [
      updateFormIntance,
      VALUED,
      [{ idInstance: 7 }, 'error', { affected: 0 }],
      'outcome-unknown',
      INSTANCE,
    ],
    [updateValuesOfFormIntance, VALUED, [{ idInstance: 7 }, 'error'], 'outcome-unknown', INSTANCE],
    [deleteFormIntance, KEY, [{ id: 7 }, 'error', { deleted: 0 }], 'outcome-unknown', INSTANCE],
    [
      startCase,
      { process: 'p' },
      [...UNREAD, { idCase: 1, cdActivity: 'canary' }],
      'outcome-unknown',
      STARTED,
    ],
    [
      executeCurrentActivity,
      CASE,
      [{ idCase: 7 }, 'error', { cdActivity: 'canary' }],
      'outcome-unknown',
      STARTED,
    ],
    [
      getParameters,
      RULE,
      UNREAD,
      'malformed',
      ['parameters, inputParameters, items (rule.parameters)'],
    ],
    [getParameters, RULE, [[{ title: 'canary' }]], 'malformed', ['(rule.parameters)']],
    [execute, { ...RULE, parameters: [] }, UNREAD, 'outcome-unknown', ['(rule.outputs)']],
  ])(
    'names the operation, and the members of the dialect that describe it: $name',
    (of, args, bodies, failure, named) => {
      for (const body of bodies) {
        const error = failureOf(of, args as never, body);
        expect(error?.failure).toBe(failure);
        expect(error?.advice).toMatch(new RegExp(`^${of.name}: `));
        for (const member of named) expect(error?.advice).toContain(member);
        expect(error?.advice).not.toContain('canary');
      }
    },
  );
});

describe('any JSON', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'idInstance',
      'id',
      'values',
      'fields',
      'title',
      'name',
      'value',
      'links',
      '_links',
    ),
    fc.constantFrom(
      'errorCode',
      'message',
      'error',
      'errors',
      'status',
      'success',
      'code',
      'details',
      'fault',
    ),
    fc.constantFrom(
      'data',
      'result',
      'd',
      'items',
      'parameters',
      'outputParameters',
      'idCase',
      'cdActivity',
      'other',
    ),
  );
  const leaf = fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    1,
    404,
    '',
    '1',
    'OK',
    'error',
    'E_1',
    'title',
    'x y',
  );
  const { body } = fc.letrec<{ body: Json }>((tie) => ({
    body: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.dictionary(name, tie('body'), { maxKeys: 5 }),
      fc.array(tie('body'), { maxLength: 3 }),
    ),
  }));
  const fields = fc.constantFrom(KNOWN, undefined);
  const RUNS = { numRuns: 2_000 };

  /** Whether the body, or an object inside it, has a proof. */
  const holds = (
    value: Json,
    isProof: (object: Readonly<Record<string, Json>>) => boolean,
  ): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const isOwn = !Array.isArray(value) && isProof(value as Readonly<Record<string, Json>>);
    return isOwn || Object.values(value).some((member: Json) => holds(member, isProof));
  };

  it('gives a read a recognised record, or an error', () => {
    fc.assert(
      fc.property(body, fields, (sent, known) => {
        const found = read(getFormIntance, KEY, sent, { fields: known });
        if (typeof found !== 'object' || known === undefined)
          return typeof found === 'object' || typeof found === 'string';
        // With a definition: the body contains an id, values or a field of the form.
        const proof = ['idInstance', 'id', 'values', 'fields', 'title', 'amount'];
        return Array.isArray(sent) || holds(sent, (object) => proof.some((one) => one in object));
      }),
      RUNS,
    );
  });

  it('confirms a creation by an id alone', () => {
    fc.assert(
      fc.property(body, fields, (sent, known) => {
        const created = read(createFormIntance, { formId: 'f', values: {} }, sent, {
          status: 200,
          fields: known,
        });
        if (typeof created === 'string') return true;
        const isId = ({ idInstance, id }: Readonly<Record<string, Json>>) =>
          [idInstance, id].some(
            (one) => JSON.stringify(one)?.replaceAll('"', '') === created.instanceId,
          );
        return holds(sent, isId);
      }),
      RUNS,
    );
  });

  it('confirms no change beside an error code, whose form has no field of that name', () => {
    fc.assert(
      fc.property(fc.dictionary(name, body, { maxKeys: 5 }), fields, (sent, known) => {
        const refused = { ...sent, errorCode: 'E_1' };
        return (
          update(refused, known) !== 'done' &&
          typeof create(refused, { fields: known }) === 'string'
        );
      }),
      RUNS,
    );
  });

  it('is decoded or refused by every operation, and never throws otherwise', () => {
    fc.assert(
      fc.property(body, fields, (sent, known) => {
        read(getForm, KEY, sent);
        read(getForms, PAGE, sent);
        read(getFormIntances, { ...KEY, ...PAGE }, sent, { fields: known });
        read(getParameters, RULE, sent);
        return [start(sent), outputs(sent), update(sent, known)].every((one) => one !== undefined);
      }),
      RUNS,
    );
  });
});
