import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { auditFile, codesOf, readLines } from '../features/audit/support.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';

const CANARY = 'secret-canary';
const READ = '{ form(formId: "f") { name } }';
const CREATE = `mutation ($values: JSONObject!, $key: ID) {
  createInstance(input: { formId: "f", values: $values, idempotencyKey: $key }) {
    instance { instanceId }
  }
}`;

/** Writes a dialect with an adapter that has these hooks, and returns the dialect's file. */
function writeAdapter(hooks: string, dialect: object = {}): string {
  const module = `import { defineAdapter, exactNumber } from 'caseway/adapter';
    export default defineAdapter({ ${hooks} });`;
  const content = { adapter: './adapter.ts', ...dialect };
  return join(writeFolder({ 'dialect.json': content, 'adapter.ts': module }), 'dialect.json');
}

/** Starts a gateway whose adapter has these hooks before a platform that answers so. */
async function startAdapted(
  hooks: string,
  answer: Parameters<typeof scriptPlatform>[0],
  env: Env = {},
) {
  let tokens = 0;
  const platform = await scriptPlatform(answer, () => `token-${++tokens}`);
  const UPSTREAM_DIALECT = writeAdapter(hooks);
  const settings = { ...platform.env, LOG_LEVEL: 'warn', UPSTREAM_DIALECT };
  const gateway = await startGateway({ ...settings, ...env });
  return { ...gateway, seen: platform.seen, urls: () => platform.seen.map(({ url }) => url) };
}

const answerForm = () => ({ body: { idForm: 'f', name: 'F' } });
const answerCreated = () => ({ status: 201, body: { idInstance: 1 } });

describe('an adapter', () => {
  it('translates the address of a list, and rows whose values are keyed by id', async () => {
    const answers = {
      '3': { name: 'title', answer: 'Desk' },
      '4': { name: 'amount', answer: '7' },
    };
    const { dataOf, seen } = await startAdapted(
      `request({ operation, ids, list }) {
        if (operation !== 'getFormIntances') return {};
        const { where, pageNumber, perPage } = list;
        const filter = where.map(({ field, operator, values }) => [field, operator, values]);
        return {
          path: ['form', ids.formId, 'submissions'],
          query: { filter: JSON.stringify(filter), offset: String((pageNumber - 1) * perPage), tag: ['a', 'b&'] },
        };
      },
      response({ operation }, { body }) {
        if (operation !== 'getFormIntances') return {};
        const rows = body.content.map(({ id, answers }) => ({
          idInstance: id,
          values: Object.fromEntries(Object.values(answers).map(({ name, answer }) => [name, answer])),
        }));
        return { body: rows, headers: { 'x-total-count': String(body.count) } };
      }`,
      () => ({ body: { content: [{ id: '41', answers }], count: 41 } }),
    );

    const data = await dataOf(`{
      instances(formId: "f", first: 1, page: 41, where: [{ field: "amount", operator: GE, value: 5 }]) {
        totalCount nodes { instanceId values }
      }
    }`);

    expect(data.instances).toEqual({
      totalCount: 41,
      nodes: [{ instanceId: '41', values: { title: 'Desk', amount: '7' } }],
    });
    const { pathname, searchParams } = new URL(seen[0]?.url ?? '', 'http://any');
    expect(pathname).toBe('/form/f/submissions');
    expect([...searchParams]).toEqual([
      ['filter', '[["amount","GE",["5"]]]'],
      ['offset', '40'],
      ['tag', 'a'],
      ['tag', 'b&'],
    ]);
  });

  it('keeps the digits of numbers in both directions, as texts', async () => {
    const { dataOf, seen } = await startAdapted(
      `request: ({ body }) =>
        body ? { body: { ...body.values, long: exactNumber(body.values.long) } } : {},
      response: ({ operation }, { body }) =>
        operation === 'getFormIntance' ? { body: { idInstance: body.key, values: body.data } } : {}`,
      ({ method }) =>
        method === 'POST'
          ? { status: 201, body: '{"idInstance": 9223372036854775807}' }
          : {
              body: '{"key": 9007199254740993, "data": {"a": 12345678901234567.25, "b": 1.5, "c": 1e21}}',
            },
    );

    const values = { long: '9223372036854775807', exact: '0.10000000000000000001', half: 0.5 };
    const { createInstance } = await dataOf(CREATE, { values });
    const { instance } = await dataOf(
      '{ instance(formId: "f", instanceId: "9007199254740993") { values } }',
    );

    expect(seen[0]?.body).toBe(
      '{"long":9223372036854775807,"exact":"0.10000000000000000001","half":0.5}',
    );
    expect(createInstance.instance).toEqual({ instanceId: '9223372036854775807' });
    expect(instance.values).toEqual({ a: '12345678901234567.25', b: 1.5, c: 1e21 });
  });

  it('sees the call as the interface has it for each try, and the response after its own request', async () => {
    let tries = 0;
    const { dataOf, urls } = await startAdapted(
      `request: ({ path }) => ({ path: ['api', ...path.slice(1)] }),
      response: ({ path }, { body }) => (body.idForm ? { body: { ...body, name: path.join('/') } } : {})`,
      () => (++tries === 1 ? { status: 503, body: {} } : answerForm()),
    );

    expect(await dataOf(READ)).toEqual({ form: { name: 'v1.0/forms/f' } });
    expect(urls()).toEqual(['/api/forms/f', '/api/forms/f']);
  });

  it('may say that the token has expired, and never sees one', async () => {
    const { dataOf, seen } = await startAdapted(
      `request: (call) => ({ query: { seen: JSON.stringify(call) } }),
      response: (call, response) => ({
        status: response.body.fault ? 401 : 200,
        body: { idForm: 'f', name: JSON.stringify([call, response]) },
      })`,
      ({ headers }) => ({
        headers: { authorization: 'token-canary' },
        body: headers.authorization === 'Bearer token-1' ? { fault: 'expired' } : {},
      }),
    );

    const { form } = await dataOf(READ);

    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
    const visible = form.name + seen.map(({ url }) => decodeURIComponent(url)).join();
    expect(visible).toContain('"ids":{"formId":"f"}');
    expect(visible).not.toMatch(/token|authorization/);
  });

  it('is not asked about a 304, after which its copy still serves', async () => {
    const date = new Date().toUTCString();
    const headers = { date, 'last-modified': new Date(Date.now() - 3_600_000).toUTCString() };
    const { dataOf, seen } = await startAdapted(
      `response: ((runs) => () => ({ body: { idInstance: 1, values: { runs: ++runs } } }))(0)`,
      (request) =>
        request.headers['if-modified-since'] === undefined
          ? { headers, body: {} }
          : { status: 304, headers, body: '' },
    );

    // The gateway keeps a copy from the second read on.
    for (const runs of [1, 2, 2]) {
      expect(await dataOf('{ instance(formId: "f", instanceId: "1") { values } }')).toEqual({
        instance: { values: { runs } },
      });
    }
    expect(seen).toHaveLength(3);
  });

  it('gets no body for a page that is not JSON, and may replace the page', async () => {
    const headers = { 'content-type': 'text/html' };
    const { execute, dataOf } = await startAdapted(
      `response: ({ ids }, { status, body }) =>
        ids.formId === 'f' ? {} : { body: { idForm: ids.formId, name: status + ' ' + typeof body } }`,
      () => ({ headers, body: `<html>${CANARY}</html>` }),
    );

    expect(codesOf(await execute(READ))).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(await dataOf('{ form(formId: "g") { name } }')).toEqual({
      form: { name: '200 undefined' },
    });
  });

  it('writes and removes bodies, with the content type that belongs to them', async () => {
    const { execute, seen } = await startAdapted(
      `request({ operation, body }) {
        if (operation === 'getForm') return { body: { query: 'form' } };
        return operation === 'createFormIntance' ? { body: undefined } : {};
      }`,
      ({ method }) => (method === 'POST' ? answerCreated() : answerForm()),
    );

    await execute(READ);
    await execute(CREATE, { values: { a: 1 } });

    expect(seen.map(({ headers, body }) => [body, headers['content-type']])).toEqual([
      ['{"query":"form"}', 'application/json'],
      ['', undefined],
    ]);
  });

  it('costs a gateway without one nothing: a response is parsed once', async () => {
    const body = JSON.stringify({ idForm: 'f', name: 'parsed once' });
    const { env } = await scriptPlatform(() => ({ body }));
    const UPSTREAM_DIALECT = writeAdapter('response: () => ({})');
    const gateways = [await startGateway(env), await startGateway({ ...env, UPSTREAM_DIALECT })];
    const parse = vi.spyOn(JSON, 'parse');

    const times = [];
    for (const { execute } of gateways) {
      parse.mockClear();
      await execute(READ);
      times.push(parse.mock.calls.filter(([text]) => text === body).length);
    }

    expect(times).toEqual([1, 2]);
  });
});

describe('an adapter that fails', () => {
  it.each(['request', 'response'])('in production is named without a value: %s', async (hook) => {
    const { execute, logged } = await startAdapted(
      `${hook}() { throw new Error('${CANARY}'); }`,
      answerForm,
      { NODE_ENV: 'production', CALLER_AUTH: 'none' },
    );

    const { errors } = await execute(READ);

    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`The adapter adapter.ts failed in ${hook} of getForm: `),
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE', retryable: false },
      },
    ]);
    expect(logged()).toMatchObject([{ file: 'adapter.ts', place: `${hook} of getForm` }]);
    expect(JSON.stringify([errors, logged()])).not.toContain(CANARY);
  });

  it('is logged with the place in its file, and outside production with the message', async () => {
    const hooks = `response() { throw new Error('no such member') }`;
    const { execute, logged } = await startAdapted(hooks, answerForm);

    await execute(READ);

    const at = expect.arrayContaining([expect.stringContaining('adapter.ts:2:')]);
    expect(logged()).toMatchObject([
      { msg: 'the adapter failed', reason: 'no such member', err: { type: 'Error', at } },
    ]);
  });

  /** Creates an instance twice with one key, with an audit. */
  async function createTwice(hooks: string, answer: () => ScriptedAnswer = answerCreated) {
    const AUDIT_FILE = auditFile();
    const { execute, seen } = await startAdapted(hooks, answer, { AUDIT_FILE });
    const first = await execute(CREATE, { values: {}, key: 'k' });
    const second = await execute(CREATE, { values: {}, key: 'k' });
    const events = readLines(AUDIT_FILE).map(({ event }) => event);
    return { first, second, seen, events };
  }

  it('leaves the outcome of a change that was sent unknown, and sends it once for its key', async () => {
    const { first, second, seen, events } = await createTwice(
      `response({ operation }) { if (operation === 'createFormIntance') throw new Error('${CANARY}'); return {}; }`,
    );

    expect([codesOf(first), codesOf(second)]).toEqual([['OUTCOME_UNKNOWN'], ['OUTCOME_UNKNOWN']]);
    expect(first.errors?.[0]?.message).toContain(
      'The adapter adapter.ts failed in response of createFormIntance',
    );
    expect(seen).toHaveLength(1);
    expect(events).toEqual(['sent', 'unknown']);
  });

  it('before a change is sent has done nothing, so that its key can be used again', async () => {
    const { first, second, seen, events } = await createTwice(
      `request: ((calls) => () => {
        if (++calls === 1) throw new Error('${CANARY}');
        return {};
      })(0)`,
    );

    expect(codesOf(first)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(first.errors?.[0]?.message).toMatch(
      /^The call to the platform was not sent\. The adapter adapter\.ts failed/,
    );
    expect(second.data.createInstance.instance).toEqual({ instanceId: '1' });
    expect(seen).toHaveLength(1);
    expect(events).toEqual(['sent', 'done']);
  });

  it('may be told by a refusal with status 200, which the audit has as failed', async () => {
    const { first, events } = await createTwice(
      `response: (_, { body }) =>
        body.ok ? {} : { status: 400, body: { errorCode: 'NO', message: body.why } }`,
      () => ({ status: 200, body: { ok: false, why: 'The amount is missing.' } }),
    );

    expect(first.errors).toMatchObject([
      {
        message: 'The amount is missing.',
        extensions: { code: 'BAD_USER_INPUT', upstream: { status: 400 } },
      },
    ]);
    expect(events).toEqual(['sent', 'failed', 'sent', 'failed']);
  });
});

describe('the path of an adapter', () => {
  it.each([
    [`['api', 'v9.2', 'accounts(1)', '']`, '/base/api/v9.2/accounts(1)/'],
    [`['http:', 'evil.example']`, '/base/http%3A/evil.example'],
    [`['a?b#c', '%2e%2e', 'd;e@f']`, '/base/a%3Fb%23c/%252e%252e/d%3Be%40f'],
  ])('is encoded below the base address: %s', async (path, expected) => {
    const platform = await scriptPlatform(answerForm);
    const { dataOf } = await startGateway({
      ...platform.env,
      UPSTREAM_URL: `${platform.env.UPSTREAM_URL}/base`,
      UPSTREAM_DIALECT: writeAdapter(`request: () => ({ path: ${path} })`, {
        token: { url: '/../v1.0/token' },
      }),
    });

    await dataOf(READ);

    expect(platform.seen.map(({ url }) => url)).toEqual([expected]);
  });

  it('takes an id with a slash as the interface does, and no other segment with one', async () => {
    const { execute, urls } = await startAdapted(
      `request: ({ operation, ids, path }) =>
        operation === 'startCase' ? { path: ['key', ids.process] } : { path: ['api', ...path] }`,
      answerForm,
    );

    await execute('{ form(formId: "a/b") { name } }');
    const start = await execute(
      'mutation { startCase(input: { process: "../x" }) { case { caseId } } }',
    );

    expect(urls()).toEqual(['/api/v1.0/forms/a%2Fb']);
    expect(codesOf(start)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });
});

it('the bodies of an adapter count as the platform’s do', async () => {
  const { execute, seen } = await startAdapted(
    `response: () => ({ body: { name: 'x'.repeat(8_000_000), parameters: [] } })`,
    () => ({ body: {} }),
    // A busy machine is slow with such bodies.
    { UPSTREAM_TIMEOUT_MS: '60000' },
  );
  const rules = [1, 2, 3, 4, 5].map(
    (at) => `r${at}: rule(component: "c", version: "${at}") { component }`,
  );

  const answer = await execute(`{ ${rules.join(' ')} }`);

  expect(seen).toHaveLength(5);
  expect(codesOf(answer)).toEqual(['ANSWER_TOO_LARGE']);
});
