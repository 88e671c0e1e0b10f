import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { UpstreamError } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { expectAnswer, type Understood } from '../../src/upstream/answer.ts';
import { OPERATIONS, type OperationName } from '../../src/upstream/operations.ts';
import type { ResponseHeaders } from '../../src/upstream/records.ts';
import { executeCurrentActivity, startCase } from '../../src/upstream/resources/cases.ts';
import { getForm, getForms } from '../../src/upstream/resources/forms.ts';
import {
  createFormIntance,
  deleteFormIntance,
  getFormIntance,
  getFormIntances,
  updateValuesOfFormIntance,
} from '../../src/upstream/resources/instances.ts';
import { execute, getParameters } from '../../src/upstream/resources/rules.ts';
import { ROWS } from '../operations/index.ts';
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
  { status = 200, headers = {}, fields }: Response = {},
) {
  try {
    return expectAnswer(of, args, dialect, fields).decode({ status, headers, text: '', body });
  } catch (error) {
    if (error instanceof UpstreamError) return error.failure;
    throw error;
  }
}

const readOne = (body: Json | undefined, fields?: ReadonlySet<string>) => {
  const instance = read(getFormIntance, KEY, body, { fields });
  return typeof instance === 'object' ? instance.content?.values : instance;
};
const readList = (body: Json, fields?: ReadonlySet<string>) =>
  read(getFormIntances, { ...KEY, ...PAGE }, body, { fields });
const update = (body: Json | undefined, fields?: ReadonlySet<string>) =>
  read(updateValuesOfFormIntance, { ...KEY, values: {} }, body, { status: 202, fields }) ?? 'done';
const remove = (body: Json | undefined, fields?: ReadonlySet<string>) =>
  read(deleteFormIntance, KEY, body, { fields }) ?? 'done';
const create = (body: Json | undefined, response?: Response) => {
  const args = { formId: 'f', values: {} };
  const created = read(createFormIntance, args, body, { status: 201, ...response });
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

/** Returns objects with one member of this value, for each of the names. */
const each = (names: string, value: Json): Json[] =>
  names.split(' ').map((name) => ({ [name]: value }));

/** Bodies that describe an error, without anything of a record. */
const REFUSALS: readonly Json[] = [
  ...each('success ok Success isSuccess IsSuccess succeeded Succeeded', false),
  ...each('isError hasError hasErrors', true),
  ...each('error errors fault Fault exception errorMessage', 'locked'),
  ...each('status statusCode httpStatus httpStatusCode code', 422),
  ...each('status result', 'FAILED'),
  { success: 0 },
  { result: false },
  { statusCode: '422' },
  { errorCode: 17 },
  { ...CODE, traceId: 'abc', timestamp: 1, path: '/x' },
  { ...CODE, violations: [{ field: 'title', message: 'locked' }] },
  { ...CODE, data: {} },
  { error: true },
  { error: { code: 200, message: 'Server Error' } },
  { errors: [{ code: 'LOCKED' }] },
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
  { errorCode: null, message: null },
  { errorCode: 'SUCCESS', code: 200 },
  ...['', '00', 'ok', 'successful', 'none', 'no_error', 'null', false].map((errorCode) => ({
    errorCode,
  })),
  { isError: false, errorMessage: '', exception: null, error: '', errors: [], fault: {} },
  { error: { code: 0 } },
  { error: { code: null, message: '' } },
];

describe('a body that describes an error', () => {
  it.each(REFUSALS)('refuses reads and changes: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      const ones = [readOne, update, remove].map((call) => call(body, fields));
      expect([...ones, create(body, { fields })]).toEqual(Array(4).fill('rejected'));
    }
    const lists = [readList(body), read(getForms, PAGE, body)];
    const records = [read(getForm, KEY, body), read(getParameters, RULE, body)];
    const others = [...lists, ...records, start(body), outputs(body)];
    expect(others).toEqual(Array(6).fill('rejected'));
  });

  it.each([
    [{ status: 503, message: 'down' }, 'failed'],
    [{ status: 403, errorCode: 'E' }, 'forbidden'],
    [{ status: 401, errorCode: 'E' }, 'rejected'],
    [{ status: 404, errorCode: 'E' }, 'rejected'],
    [{ status: 410, errorCode: 'E' }, 'rejected'],
    [{ error: { code: 429 } }, 'rate-limited'],
    [[{ message: 'slow down', errorCode: 'REQUEST_LIMIT_EXCEEDED' }], 'rate-limited'],
  ])('has the status that it states, but for a token and an absence: %j is %s', (body, failure) => {
    expect([readOne(body), update(body)]).toEqual([failure, failure]);
  });

  it('refuses by its type, that of RFC 9457, whatever its members are', () => {
    const response = { headers: { 'content-type': 'application/problem+json' } };
    const body = { title: 'Locked', detail: 'It is locked' };
    const updated = read(updateValuesOfFormIntance, { ...KEY, values: {} }, body, {
      ...response,
      fields: new Set(['x']),
    });

    const failures = [updated, create(body, response), start(body, response)];

    expect(failures).toEqual(Array(3).fill('rejected'));
  });
});

describe('a body that reports success', () => {
  it.each(ACKNOWLEDGEMENTS)('confirms an update and a rule, and is no record: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      expect(update(body, fields)).toBe('done');
      expect(readOne(body, fields)).toBe('malformed');
      expect(create(body, { fields })).toBe('outcome-unknown');
    }
    expect(start(body)).toBe('outcome-unknown');
    if (body !== 'OK') expect(outputs(body)).toEqual([]);
  });
});

describe('a change', () => {
  it.each<Json>([
    { title: 'A', code: 'A-17' },
    { idInstance: 1, code: 'A-17' },
    { result: true },
    [{ name: 'title', value: 'A' }],
    [{ idInstance: 1, title: 'A', status: 'error' }],
    { id: 'b5c7f9f0-1f0e-4a53', status: 'OK' },
    // Any other count than 0 of changed records.
    { affectedRows: 1 },
    { unchanged: 0 },
    { amount: 1, updated: 0 },
    { data: { idInstance: 1, amount: 1, deletedCount: 0 } },
    { lastModifiedBy: 0 },
    // A field of the form beside a count of 0.
    { idInstance: 1, amount: 0, deleted: false },
    // Names that may state a failure, with other values.
    { Status: 'SUCCESS', ErrorCode: '0', ErrorMessage: null },
    { errcode: 0, errmsg: 'ok' },
    { responseCode: 200 },
    { failed: 0, failures: [] },
    { ERROR: null, ERRORS: [], violations: [], details: { lines: 2 }, saved: true, done: 0 },
    { isDefault: true, preferred: 'x', transferred: 1 },
    // Accepted for later, or a record in a state.
    { accepted: true, processed: false },
    { status: 'ACCEPTED', completed: false, jobId: 'x' },
    ...each('status state', 'LOCKED'),
    { status: 'PAYMENT_REQUIRED' },
    { idInstance: 1, status: 'rejected' },
    { amount: 1, state: 'rejected', lastError: 'x' },
  ])('is confirmed by a copy of its record, or by its success: %j', (body) => {
    expect(update(body, KNOWN)).toBe('done');
  });

  it.each<Json>([
    { ...CODE, idInstance: 1, values: VALUES },
    { success: false, idInstance: 1 },
    { status: 'fail', data: { idInstance: 1, title: 'A' } },
    { code: 'LOCKED', message: 'locked' },
    { idInstance: 1, status: 'error' },
    false,
    'FAILED',
    // A record with another id.
    { idInstance: 2 },
    { result: { id: 2 } },
    [{ idInstance: 2, amount: 1 }],
  ])('has an unknown outcome where a body may mean either: %j', (body) => {
    expect([update(body, KNOWN), remove(body, KNOWN)]).toEqual(Array(2).fill('outcome-unknown'));
  });

  it.each<Json>([
    0,
    ...each('count rows affected affected_rows affectedRecords updatedCount modified_count', 0),
    ...each('deletedDocuments removed replaced changedRows nModified matchedCount', 0),
    { rows_affected: '0' },
    { n: 0, nModified: 0, ok: 1 },
    ...each('updated saved isStored', false),
    { id: 1, deleted: false },
    { result: { deletedCount: 0 } },
  ])('has an unknown outcome where nothing was changed: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      expect([update(body, fields), remove(body, fields)]).toEqual([
        'outcome-unknown',
        'outcome-unknown',
      ]);
    }
  });

  it.each<Json>([
    ...each('Status STATUS state outcome responseStatus', 'ERROR'),
    ...['no', 'ko', 'nok', 'rejected', 'refused', 'denied', 'invalid', 'aborted'].map((status) => ({
      status,
    })),
    ...each('resultCode responseCode statuscode return_code', 'E001'),
    ...each('ErrorCode errcode error_text Error Errors exceptionMessage faultCode IsError', 'x'),
    ...each('ERROR ERR_TEXT FAULT EXCEPTION', 'x'),
    ...each('acknowledged accepted isValid', false),
    ...['403 Forbidden', 'HTTP/1.1 423 Locked', 'BAD_REQUEST', 'Not Found'].flatMap((status) =>
      each('status httpStatus', status),
    ),
    ...each('violations invalid-params', [{ field: 'title', message: 'bad' }]),
    { violations: ['bad'] },
    { details: { title: 'bad' } },
    { ERRORS: ['locked'] },
    { success: 'no' },
  ])('has an unknown outcome where a name of its own may state a failure: %j', (body) => {
    for (const fields of [KNOWN, undefined]) {
      expect([update(body, fields), remove(body, fields)]).toEqual([
        'outcome-unknown',
        'outcome-unknown',
      ]);
      expect(typeof readOne(body, fields)).toBe('string');
    }
  });
});

describe('a refusal of a form whose fields are called like members of errors', () => {
  it.each<[Json, string]>([
    [{ errorCode: 'LOCKED', message: 'locked' }, 'message'],
    [{ timestamp: 't', status: 409, error: 'Conflict', path: '/x' }, 'path'],
    [{ status: 'error' }, 'status'],
    [{ errorCode: 'E', status: 'error' }, 'status'],
    [{ title: 'Conflict', status: 409, detail: 'locked' }, 'title'],
    [{ type: 'about:blank', title: 'Conflict', status: 409 }, 'type'],
    [{ success: false, description: 'locked' }, 'description'],
  ])('is no record and no confirmation: %j', (body, field) => {
    const fields = new Set([field, 'amount']);

    expect([readOne(body, fields), update(body, fields)]).toEqual(['rejected', 'outcome-unknown']);
  });

  it.each<[Json, string, string]>([
    [{ error: 'locked', data: { title: 'locked' } }, 'rejected', 'rejected'],
    [{ data: { title: 'Conflict', status: 409 } }, 'malformed', 'outcome-unknown'],
    [{ message: 'boom' }, 'malformed', 'done'],
    [{ data: { message: 'boom' } }, 'malformed', 'done'],
  ])('is no record where only its heading is a field: %j', (body, failure, updated) => {
    const fields = new Set(['title', 'message', 'amount']);

    expect([readOne(body, fields), update(body, fields)]).toEqual([failure, updated]);
  });

  it.each<Json>([
    { success: false, fields: { title: 'locked' } },
    { error: 'invalid', fields: [{ name: 'title', value: 'A' }] },
  ])('is no confirmation where it has messages by field: %j', (body) => {
    expect(update(body, KNOWN)).toBe('outcome-unknown');
  });

  it.each<Json>([
    { title: 'Conflict', status: 409, detail: 'locked' },
    { type: 'about:blank', title: 'Conflict', status: 409 },
    { success: false, reason: 'locked' },
  ])('is no record where the fields of the form are unknown: %j', (body) => {
    expect(readOne(body)).toBe('rejected');
  });

  it.each<[Json, JsonObject]>([
    [{ message: 'OK', data: { idInstance: 1, amount: 1 } }, { amount: 1 }],
    [
      { idInstance: 1, message: 'A', status: 'error' },
      { message: 'A', status: 'error' },
    ],
    [
      { message: 'A', amount: 1, status: 'error' },
      { message: 'A', amount: 1, status: 'error' },
    ],
    [{ title: 'A' }, VALUES],
    [
      { idInstance: 1, title: 'A', status: 409 },
      { title: 'A', status: 409 },
    ],
  ])('does not look like a record with such fields: %j', (body, values) => {
    const fields = new Set(['title', 'message', 'amount']);

    expect([readOne(body, fields), update(body, fields)]).toEqual([values, 'done']);
  });
});

describe('a change whose envelope has an error', () => {
  it.each<Json>([
    { data: { errorCode: 'LOCKED', message: 'locked' } },
    { data: { id: 1, errorCode: 'LOCKED' } },
    { data: { id: 1, status: 'error' } },
    { d: { error: { code: 'LOCKED' } } },
    { response: { result: { status: 'error' } } },
    { results: [{ success: false, errors: [CODE] }] },
    { compositeResponse: [{ httpStatusCode: 409, body: [CODE] }] },
    { responses: [{ status: 'HTTP/1.1 200 OK' }, { status: 'HTTP/1.1 423 Locked' }] },
    { responses: [{ href: '/1', status: 'HTTP/1.1 423 Locked' }] },
    { result: { resultCode: 'E1' } },
    { result: { resultCode: 'E1', resultText: 'locked' } },
    { response: { Status: 'ERROR', Reason: 'db' }, message: 'x' },
    [{ status: 'OK' }, { Status: 'ERROR' }],
  ])('is not confirmed: %j', (body) => {
    expect([update(body), update(body, KNOWN)]).toEqual(Array(2).fill('outcome-unknown'));
  });

  it.each<Json>([
    { data: { id: 1, status: 'error', amount: 1 } },
    { data: { errorCode: 0, message: 'OK' } },
    { response: { code: 'UPDATED' } },
    { responses: [{ status: 'HTTP/1.1 200 OK' }] },
    // A record may have a state, and a part of it, too.
    { version: 2, approval: { state: 'rejected' } },
    { approval: { state: 'rejected', by: 'bob' } },
    { step: { last: { state: 'rejected' } } },
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
  it.each<[body: Json, values: object, fields?: ReadonlySet<string>]>([
    [{ idInstance: 1 }, {}],
    // A draft without values in any state.
    [{ idInstance: 1, values: {}, status: 'REJECTED', code: 'HR-17', details: ['a'] }, {}, KNOWN],
    [{ idInstance: 1, values: {}, state: 'LOCKED', completed: false }, {}, KNOWN],
    [{ values: VALUES }, VALUES],
    [{ idInstance: 1, idForm: 'f', title: 'A', links: [], _links: {} }, VALUES],
    // As a sequence.
    [[{ name: 'title', value: 'A' }], VALUES, KNOWN],
    [{ values: [{ name: 'title', value: 'A' }, { name: 'amount' }] }, { title: 'A', amount: null }],
    // Empty values may be left out.
    [
      [
        { id: 1, name: 'title', label: 'T', order: 1, options: [], defaultValue: 'x' },
        { label: 'General', type: 'section' },
        { name: 'amount', value: 3 },
      ],
      { title: null, amount: 3 },
      KNOWN,
    ],
    [{ fields: [{ name: 'title', value: 'A' }] }, VALUES],
    [[{ name: 'title', value: 'A' }, { label: 'Totals' }, null, { name: null }], VALUES, KNOWN],
    // Empty, and described by other members.
    [[{ name: 'title', label: 'T', type: 'text', links: null }], { title: null }, KNOWN],
    // Several values, each in an entry.
    [
      [{ name: 'title', value: 'A' }, { name: 'title', value: 'B' }, { name: 'title' }],
      { title: ['A', 'B'] },
      KNOWN,
    ],
    [{ title: 'A' }, VALUES],
    // Beside members of errors.
    [{ ...CODE, values: VALUES }, VALUES],
    [{ ...CODE, amount: 1 }, { ...CODE, amount: 1 }, KNOWN],
    [
      { idInstance: 1, status: 'error', message: 'x' },
      { status: 'error', message: 'x' },
    ],
    // Without a value of any field.
    [{ idInstance: 1, values: null }, {}, KNOWN],
    [{ idInstance: 1, title: 'B', values: {} }, {}, KNOWN],
    // With values of fields that the form has lost.
    [{ idInstance: 1, values: { old: 1 } }, { old: 1 }, KNOWN],
    [
      { idInstance: 1, values: { a: 1 }, title: 'A' },
      { values: { a: 1 }, title: 'A' },
      new Set(['values', 'title']),
    ],
    [{ id: 'P-1', title: 'A' }, { id: 'P-1', title: 'A' }, new Set(['id', 'title'])],
    // In an envelope.
    [{ data: { title: 'A' }, meta: {} }, VALUES, KNOWN],
    [{ d: { title: 'A' } }, VALUES],
    [{ errorCode: 0, data: { values: VALUES } }, VALUES],
    [{ id: 'a-7', result: { idInstance: 1, title: 'A' } }, VALUES, KNOWN],
    [{ title: 'A', result: { title: 'B' } }, { title: 'A', result: { title: 'B' } }, KNOWN],
  ])('is recognised: %j', (body, values, fields) => {
    expect(readOne(body, fields)).toEqual(values);
  });

  it('is the same whether answers in envelopes and bare ones alternate', () => {
    const bare = { idInstance: 1, title: 'A', result: { title: 'B' } };
    const answers = [bare, { result: { idInstance: 1, title: 'C' } }, bare, { data: bare }, bare];

    const titles = answers.map((body) => (readOne(body, KNOWN) as { title: string }).title);

    expect(titles).toEqual(['A', 'C', 'A', 'A', 'A']);
  });

  it('may have a value named __proto__, which stays a value', () => {
    const values = readOne([{ name: '__proto__', value: { isAdmin: true } }]);

    expect(Object.keys(values ?? {})).toEqual(['__proto__']);
    expect(values).not.toHaveProperty('isAdmin');
  });

  it.each<Json | undefined>([
    undefined,
    null,
    [{ idInstance: 1, values: VALUES }],
    [{ name: 'other', value: 'A' }],
    { state: 'OK' },
    { idInstance: 99, values: VALUES },
    { data: { idInstance: 99, values: VALUES } },
    { data: { ...CODE, idInstance: 1 } },
    { idInstance: 1, values: '{"title":"A"}' },
    // An id beside a possible error.
    { idInstance: 1, Status: 'ERROR', Reason: 'db' },
    { idInstance: 1, values: null, ERROR: 'db down' },
    // A value without a name.
    { idInstance: 1, values: [{ name: 'title', value: 'A' }, { value: 5 }] },
    // A value, or several, in an unknown member.
    [{ name: 'title', stringValue: 'A' }],
    { idInstance: 1, fields: [{ name: 'title', content: 'A' }] },
    { idInstance: 1, values: [{ name: 'title', values: ['A'] }] },
    { idInstance: 1, values: [{ name: 's1', fields: [{ name: 'title', value: 'A' }] }] },
    { idInstance: 1, values: [{ title: 'Part 1', fields: [{ name: 'title', value: 'A' }] }] },
    { idInstance: 1, values: { 3: { name: 'title', answer: 'A' } } },
    { idInstance: 1, answers: { title: 'A' } },
    // An unknown envelope.
    { content: { idInstance: 1, values: VALUES } },
  ])('is not recognised from %j', (body) => {
    expect(readOne(body, KNOWN)).toBe('malformed');
  });
});

describe('a form', () => {
  it('keeps members that are called like those of errors', () => {
    const definition = { idForm: 'f', name: 'F', status: 'error', error: 'x', success: false };

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

describe('a list', () => {
  it.each<Json>([
    [{ idInstance: 1, errorCode: 'E', status: 'error' }],
    { items: [{ idInstance: 1, values: VALUES }], success: false },
    [[{ name: 'idInstance', value: 1 }]],
  ])('is recognised by a row, also beside an error: %j', (body) => {
    expect(readList(body)).toMatchObject({ items: [{ instanceId: '1' }] });
  });

  it.each([
    [{ idInstance: 7, id: 'uuid', title: 'A' }, 'idInstance'],
    [{ idInstance: 7, id: 'P-1', title: 'A' }, 'id'],
  ])('has the id of a row also where it is a field of the form: %j', (row, field) => {
    const page = readList([row], new Set([field, 'title']));

    expect(page).toMatchObject({ items: [{ instanceId: '7' }] });
  });

  it.each<Json>([
    { ...CODE, items: [] },
    { success: false, data: [] },
    { error: 'locked', items: [] },
    { errors: [{ code: 'LOCKED' }] },
  ])('that is empty beside an error is refused: %j', (body) => {
    expect(readList(body)).toBe('rejected');
  });

  it.each<Json>([
    { items: [], errorMessages: ['down'] },
    { items: [], Status: 'ERROR' },
    { items: [], ERROR: 'down' },
    { items: [], violations: [{ field: 'title', message: 'bad' }] },
    { data: null, Status: 'ERROR' },
    { total: 0, Status: 'ERROR' },
  ])('that is empty beside a possible error is malformed: %j', (body) => {
    expect([readList(body), read(getForms, PAGE, body)]).toEqual(['malformed', 'malformed']);
  });

  it.each<Json>([
    { items: [], count: 0, status: 'OK' },
    { items: [], details: { pages: 0 }, failed: 0 },
    { items: [], code: 1, details: ['no rows found'], completed: false },
    { items: [], returnCode: 'S0000' },
    { data: null, errorMessages: [], resultCode: 0 },
  ])('may be empty beside a success: %j', (body) => {
    expect(readList(body)).toMatchObject({ items: [] });
  });

  it('has an error in the place of a row whose id is no integer of 64 bits', () => {
    const ids = ['7', 'K-1', 7.5, '123456789012345678901'];
    const rows = ids.map((idInstance) => ({ idInstance, title: 'A' }));

    const errors = Array(3).fill(expect.any(UpstreamError));
    expect(readList(rows, KNOWN)).toMatchObject({ items: [{ instanceId: '7' }, ...errors] });
    expect(readList(rows.slice(1), KNOWN)).toBe('malformed');
  });

  it('has an error in the place of a row with a possible error and no field', () => {
    const failed = { idInstance: 1, values: null, ERROR: 'db down' };
    const rows = [failed, { idInstance: 2, values: VALUES, ERROR: 'x' }, { idInstance: 3 }];

    const items = [expect.any(UpstreamError), { instanceId: '2' }, { instanceId: '3' }];
    expect(readList(rows, KNOWN)).toMatchObject({ items });
  });

  it('is malformed where the fields of the form stand elsewhere in its rows', () => {
    const row = { idInstance: 1, answers: { 3: { name: 'title', answer: 'A' } } };

    expect(readList([row, row], KNOWN)).toBe('malformed');
  });

  it.each<Json>([
    [{ values: VALUES }],
    { state: 'OK', errors: [] },
    { failures: [] },
    { message: 'none', Errors: [] },
  ])('is not recognised without ids, or from an array of errors: %j', (body) => {
    expect(readList(body)).toBe('malformed');
  });

  it('may have rows without any field, such as drafts', () => {
    const draft = { idInstance: 2, createdBy: { name: 'x', title: 'Dr' }, status: 'REJECTED' };

    const page = readList([draft, { idInstance: 1, title: 'A' }], KNOWN);

    expect(page).toMatchObject({ items: [{ instanceId: '2' }, { instanceId: '1' }] });
  });
});

describe('a creation', () => {
  const location = '/v1.0/forms/f/instances/7';
  const toLocation = (address: string, status = 201): [undefined, Response] => [
    undefined,
    { status, headers: { location: address } },
  ];

  it.each<[body: Json | undefined, response?: Response]>([
    [{ idInstance: 7, status: 'error', title: 'A' }],
    [{ idInstance: 7, id: 'x' }],
    [{ result: { idInstance: 7, title: 'A' } }],
    [{ id: 7 }, { fields: new Set(['id']) }],
    [{ idInstance: 7, message: 'created' }],
    [{ idInstance: 7 }, { headers: { location: '/v1.0/forms/f/instances/8' } }],
    ['7'],
    toLocation(location),
    toLocation('https://h/v1.0/forms/f/instances/7/?x=8#9'),
    // OData.
    toLocation('https://h/items(7)', 204),
    toLocation('https://h/orders/7'),
    toLocation(`/api${location}`, 202),
    toLocation(`/api${location}`, 200),
    [{ status: 'CREATED' }, { headers: { location } }],
    ['8', { headers: { location } }],
    [null, { headers: { location: '/7' } }],
    // The id in the body cannot be in a path, or is a field of the form.
    [{ id: 'a-b' }, { headers: { location } }],
    [{ id: '8' }, { headers: { location }, fields: new Set(['id']) }],
    [{ links: [{ rel: 'self', href: `https://h${location}?x=1` }] }],
    [undefined, { headers: { link: `<${location}>; rel="self"` } }],
  ])('has the id of the new record: %j, %j', (body, response) => {
    expect(create(body, response)).toBe('7');
  });

  it.each<[body: Json | undefined, response?: Response]>([
    [7, { status: 200 }],
    ['7', { headers: { location: '/done' } }],
    [{ idInstance: '0f8fad5b-d9cb-469f-a165-70867728950e' }],
    // More than 64 bits.
    [{ idInstance: '123456789012345678901' }],
    [{ taskId: 'abc', status: 'PENDING' }, { status: 202 }],
    toLocation(''),
    toLocation('/v1.0/forms/f/instances'),
    toLocation('/forms/7'),
    toLocation('/v1.0/forms/g/instances/7'),
    toLocation('/v1.0/cases/7'),
    toLocation('/cases/1/activities/7'),
    toLocation('/tasks/7', 202),
    toLocation('/errors/7'),
    toLocation('/orders/7', 200),
    [{}, { status: 200, headers: { location: '/login/7' } }],
    // An id that may mean a failure.
    [{ idInstance: 0, message: 'locked' }],
    [{ idInstance: -1, msg: 'locked' }],
    [{ data: { idInstance: '0' }, reason: 'locked' }],
    [{ links: [{ rel: 'self', href: '/forms/7' }] }],
    // An unknown envelope.
    [{ instance: { idInstance: 7 } }],
    // An id beside an error.
    [{ ...CODE, idInstance: 7 }],
    [{ data: { ...CODE, idInstance: 7 } }],
    [{ success: false, data: { idInstance: 7, title: 'A' } }],
    [[{ success: false, idInstance: 7 }]],
    [CODE, { headers: { location } }],
    [{ result: { resultCode: 'E1' } }, { headers: { location } }],
  ])('has an unknown outcome after %j, %j', (body, response) => {
    expect(create(body, response)).toBe('outcome-unknown');
  });

  it.each<[JsonObject, string, ReadonlySet<string>?]>([
    [{ idInstance: 0 }, '0'],
    [{ idInstance: -1, title: 'A', message: '' }, '-1'],
    [{ idInstance: -1, message: 'A' }, '-1', new Set(['message'])],
  ])('may have an id below 1 without a message: %j', (body, id, fields) => {
    expect(create(body, { fields })).toBe(id);
  });

  it('has the values of the response, and no values of an acknowledgement', () => {
    const contentOf = (body: Json, fields?: ReadonlySet<string>) => {
      const created = read(createFormIntance, { formId: 'f', values: {} }, body, { fields });
      return typeof created === 'object' ? created.content?.values : created;
    };

    expect(contentOf({ data: { idInstance: 7, title: 'A' } }, KNOWN)).toEqual(VALUES);
    expect(contentOf({ idInstance: 7, status: 'CREATED', idForm: 'f' })).toBeUndefined();
    expect(contentOf({ idInstance: 7, state: 'new' }, KNOWN)).toBeUndefined();
    const unreadable = { idInstance: 7, values: [{ value: 1 }, { name: 'title' }] };
    expect(contentOf(unreadable, KNOWN)).toBeUndefined();
  });
});

describe('a case', () => {
  it.each<[body: Json | undefined, activityId?: string | undefined, response?: Response]>([
    [{ idCase: '12', cdActivity: 5 }, '5'],
    [{ data: { idCase: 12, activity: { cdActivity: 5 } } }, '5'],
    [{ idCase: 12, activities: [{ cdActivity: 5 }, { cdActivity: 6 }] }, '5'],
    [{ idCase: 12, activities: [] }],
    [12],
    [undefined, undefined, { headers: { location: '/v1.0/cases/12' } }],
  ])('that was started is recognised from %j', (body, activityId, response) => {
    expect(start(body, response)).toEqual(['12', activityId]);
  });

  it.each<Json>([
    { id: 12 },
    [{ idCase: 12 }],
    { idCase: '123456789012345678901' },
    { idCase: 12, cdActivity: 'approve' },
    { idCase: 12, errorCode: 'E' },
    { idCase: 0, message: 'could not start' },
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
    const found = read(executeCurrentActivity, args, body, { status: 202 });

    expect(typeof found === 'object' ? [found.caseId, found.activity?.activityId] : found).toEqual(
      expected,
    );
  });
});

describe('an executed rule', () => {
  const OUT = [{ name: 'o', value: 1 }];
  const IN = [{ name: 'i', value: 2 }];

  it.each<Json>([
    [{ name: 'o', value: 1, status: 'error' }],
    { parameters: OUT },
    { inputParameters: IN, outputParameters: OUT },
    { data: { outputParameters: OUT } },
    { result: OUT },
    { values: OUT, status: 'OK' },
    [{ name: 'o', type: 'text', direction: 'OUT' }],
  ])('has the outputs of %j', (body) => {
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
    [{ name: 'o', textValue: 'v' }],
    { outputParameters: [...OUT, { id: 'p', value: 2 }] },
    { o: 1 },
    { data: { o: 1 } },
    [{ o: 1 }],
    5,
    { success: false, outputParameters: [] },
    { outputParameters: [], ERROR: 'rule failed' },
    { ...CODE, outputParameters: OUT },
    { status: 'error', o: 1 },
  ])('has an unknown outcome after %j', (body) => {
    expect(outputs(body)).toBe('outcome-unknown');
  });

  it.each<[Json, number]>([
    [{ parameters: IN }, 1],
    [{ args: IN, name: 'r' }, 1],
    [{ data: { parameters: IN } }, 1],
    [{ parameters: null }, 0],
    [{ name: 'r', code: 'R-1', status: 'LOCKED', parameters: [] }, 0],
  ])('is declared by its parameters: %j', (body, length) => {
    expect(read(getParameters, RULE, body)).toMatchObject({ parameters: { length } });
  });
});

describe('a rule', () => {
  it.each<Json>([
    { parameters: [], ERROR: 'down' },
    { parameters: [], errorMessages: ['down'] },
    { parameters: null, ERROR: 'down' },
    { arguments: [], Status: 'ERROR' },
  ])('has no empty list of parameters beside a possible error: %j', (body) => {
    expect(read(getParameters, RULE, body)).toBe('malformed');
  });

  it('has its parameters beside a possible error', () => {
    const body = { arguments: [{ name: 'i', type: 'text' }], state: 'rejected' };

    expect(read(getParameters, RULE, body)).toMatchObject({ parameters: [{ name: 'i' }] });
  });
});

describe('a response of any operation that is not understood', () => {
  const INSTANCE = ['idInstance, id (instance.id)', 'values, fields (instance.values)'];
  const FORM = 'idForm, id (form.id)';
  const ITEMS = [
    'items, data, results, content, forms, instances (list.items)',
    '_embedded (list.embedded)',
  ];
  const PARAMETERS = 'parameters, inputParameters, items (rule.parameters)';
  const UNREAD = [{ kind: 'canary' }, 'canary', ['canary'], 5];

  it.each<[name: OperationName, members: readonly string[], bodies?: readonly Json[]]>([
    ['getForms', [FORM, ...ITEMS]],
    ['getForm', [FORM, 'fields (form.fields)', '(envelope)']],
    ['getFormIntances', ['idInstance, id (instance.id)', ...ITEMS]],
    ['getFormIntance', [...INSTANCE, '(envelope)', 'the fields of the form']],
    ['createFormIntance', [...INSTANCE, 'Location', 'self link']],
    ['updateFormIntance', INSTANCE, [{ idInstance: 7 }, 'error', { affected: 0 }]],
    ['updateValuesOfFormIntance', INSTANCE, [{ idInstance: 7 }, 'error']],
    ['deleteFormIntance', INSTANCE, [{ id: 7 }, 'error', { deleted: 0 }]],
    ['startCase', ['idCase (case.id)'], [...UNREAD, { idCase: 1, cdActivity: 'canary' }]],
    [
      'executeCurrentActivity',
      ['idCase (case.id)'],
      [{ idCase: 7 }, 'error', { cdActivity: 'canary' }],
    ],
    ['getParameters', [PARAMETERS], [...UNREAD, [{ title: 'canary' }]]],
    ['execute', ['(rule.outputs)'], UNREAD],
  ])(
    'names %s, and the members of the dialect that describe it',
    (name, members, bodies = UNREAD) => {
      const of = OPERATIONS[name] as Understood<never, unknown>;
      const { decode } = expectAnswer(of, ROWS[name].args as never, dialect, KNOWN);
      const isRead = of.is === 'read';
      const failure = isRead ? 'malformed' : 'outcome-unknown';
      const withAdvice = (part: string) =>
        expect.objectContaining({ failure, advice: expect.stringContaining(part) });

      for (const body of bodies) {
        const response = { status: isRead ? 200 : 202, headers: {}, text: '', body };
        for (const part of [`${name}: `, ...members]) {
          expect(() => decode(response)).toThrow(withAdvice(part));
        }
        expect(() => decode(response)).not.toThrow(withAdvice('canary'));
      }
    },
  );
});

describe('any JSON', () => {
  const name = fc.constantFrom(
    ...'idInstance id values fields title name value links _links'.split(' '),
    ...'errorCode message error errors status success code details fault'.split(' '),
    ...'data result d items parameters outputParameters idCase cdActivity other'.split(' '),
  );
  const leaf = fc.constantFrom<Json>(
    ...[null, true, false, 0, 1, 404],
    ...['', '1', 'OK', 'error', 'E_1', 'title', 'x y'],
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

  /** Returns whether the body, or an object inside it, meets the condition. */
  const holds = (value: Json, condition: (object: JsonObject) => boolean): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const isMet = !Array.isArray(value) && condition(value as JsonObject);
    return isMet || Object.values(value).some((member: Json) => holds(member, condition));
  };

  it('gives a read a recognised record, or an error', () => {
    fc.assert(
      fc.property(body, fields, (sent, known) => {
        const found = read(getFormIntance, KEY, sent, { fields: known });
        if (typeof found === 'string') return true;
        if (known === undefined || Array.isArray(sent)) return typeof found === 'object';
        // With a definition: the body contains an id, values or a field of the form.
        const names = ['idInstance', 'id', 'values', 'fields', 'title', 'amount'];
        return holds(sent, (object) => names.some((one) => one in object));
      }),
      RUNS,
    );
  });

  it('confirms a creation by an id alone', () => {
    fc.assert(
      fc.property(body, fields, (sent, known) => {
        const args = { formId: 'f', values: {} };
        const created = read(createFormIntance, args, sent, { fields: known });
        if (typeof created === 'string') return true;
        return holds(sent, ({ idInstance, id }) =>
          [idInstance, id].some(
            (one) => typeof one !== 'object' && String(one) === created.instanceId,
          ),
        );
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
        readList(sent, known);
        read(getParameters, RULE, sent);
        return [start(sent), outputs(sent), update(sent, known)].every((one) => one !== undefined);
      }),
      RUNS,
    );
  });
});
