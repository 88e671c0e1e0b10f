import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { auditFile, codesOf, readLines } from '../features/audit/support.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import {
  type ScriptedAnswer,
  type SeenRequest,
  scriptPlatform,
} from '../support/scripted-platform.ts';

const CANARY = 'secret-canary';
const PRODUCTION = { NODE_ENV: 'production', CALLER_AUTH: 'none' };
const READ = '{ form(formId: "f") { name } }';
const INSTANCE = '{ instance(formId: "f", instanceId: "1") { values } }';
const CREATE = `mutation ($values: JSONObject!, $key: ID) {
  createInstance(input: { formId: "f", values: $values, idempotencyKey: $key }) {
    instance { instanceId }
  }
}`;
type Answer = Parameters<typeof scriptPlatform>[0];

/** Writes a dialect with an adapter that has these hooks, and returns the dialect's file. */
function writeAdapter(hooks: string): string {
  const module = `import { defineAdapter, exactNumber } from 'caseway/adapter';
    export default defineAdapter({ ${hooks} });`;
  const folder = writeFolder({ 'dialect.json': { adapter: './adapter.ts' }, 'adapter.ts': module });
  return join(folder, 'dialect.json');
}

/** Starts a gateway whose adapter has these hooks before a platform that answers so. */
async function startAdapted(hooks: string, answer: Answer, env: Env = {}) {
  let tokens = 0;
  const platform = await scriptPlatform(answer, () => `token-${++tokens}`);
  const logged: Record<string, unknown>[] = [];
  const settings = { ...platform.env, LOG_LEVEL: 'warn', UPSTREAM_DIALECT: writeAdapter(hooks) };
  const gateway = await startGateway({ ...settings, ...env }, (line) => {
    logged.push(JSON.parse(line));
  });
  const urls = () => platform.seen.map(({ url }) => url);
  return { ...gateway, seen: platform.seen, urls, logged };
}

const FORM: ScriptedAnswer = { body: { idForm: 'f', name: 'F' } };

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
    const { execute, seen } = await startAdapted(
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
    const created = await execute(CREATE, { values });
    const { data } = await execute(
      '{ instance(formId: "f", instanceId: "9007199254740993") { values } }',
    );

    expect(seen[0]?.body).toBe(
      '{"long":9223372036854775807,"exact":"0.10000000000000000001","half":0.5}',
    );
    expect(created.data.createInstance.instance).toEqual({ instanceId: '9223372036854775807' });
    expect(data.instance.values).toEqual({ a: '12345678901234567.25', b: 1.5, c: 1e21 });
  });

  it('sees the call as the interface has it for each try, and the response after its own request', async () => {
    let tries = 0;
    const { execute, urls } = await startAdapted(
      `request: ({ path }) => ({ path: ['api', ...path.slice(1)] }),
      response: ({ path }, { body }) => (body.idForm ? { body: { ...body, name: path.join('/') } } : {})`,
      () => (++tries === 1 ? { status: 503, body: {} } : FORM),
    );

    const { data } = await execute(READ);

    expect(data.form).toEqual({ name: 'v1.0/forms/f' });
    expect(urls()).toEqual(['/api/forms/f', '/api/forms/f']);
  });

  it('may say that the token has expired, and never sees one', async () => {
    const { execute, seen } = await startAdapted(
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

    const { data } = await execute(READ);

    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
    const visible = data.form.name + seen.map(({ url }) => decodeURIComponent(url)).join();
    expect(visible).toContain('"ids":{"formId":"f"}');
    expect(visible).not.toMatch(/token|authorization/);
  });

  it('is not asked about a 304, after which its copy still serves', async () => {
    const headers = {
      date: new Date().toUTCString(),
      'last-modified': new Date(Date.now() - 3_600_000).toUTCString(),
    };
    const { execute, seen } = await startAdapted(
      `response: ((runs) => () => ({ body: { idInstance: 1, values: { runs: ++runs } } }))(0)`,
      (request: SeenRequest) =>
        request.headers['if-modified-since'] === undefined
          ? { headers, body: {} }
          : { status: 304, headers, body: '' },
    );

    const answers = [];
    for (let read = 0; read < 3; read++)
      answers.push((await execute(INSTANCE)).data.instance.values);

    // The gateway keeps a copy from the second read on.
    expect(answers).toEqual([{ runs: 1 }, { runs: 2 }, { runs: 2 }]);
    expect(seen).toHaveLength(3);
  });

  it('gets no body for a page that is not JSON, and may replace the page', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: `<html>${CANARY}</html>` };
    const { execute } = await startAdapted(
      `response: ({ ids }, { status, body }) =>
        ids.formId === 'f' ? {} : { body: { idForm: ids.formId, name: status + ' ' + typeof body } }`,
      () => page,
    );

    const unchanged = await execute(READ);
    const { data } = await execute('{ form(formId: "g") { name } }');

    expect(codesOf(unchanged)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(data).toEqual({ form: { name: '200 undefined' } });
  });

  it('writes and removes bodies, with the content type that belongs to them', async () => {
    const { execute, seen } = await startAdapted(
      `request({ operation, body }) {
        if (operation === 'getForm') return { body: { query: 'form' } };
        return operation === 'createFormIntance' ? { body: undefined } : {};
      }`,
      ({ method }) => (method === 'POST' ? { status: 201, body: { idInstance: 1 } } : FORM),
    );

    await execute(READ);
    await execute(CREATE, { values: { a: 1 } });

    const types = seen.map(({ headers, body }) => [body, headers['content-type']]);
    expect(types).toEqual([
      ['{"query":"form"}', 'application/json'],
      ['', undefined],
    ]);
  });

  it('costs a gateway without one nothing: a response is parsed once', async () => {
    const text = JSON.stringify({ idForm: 'f', name: 'parsed once' });
    const platform = await scriptPlatform(() => ({ body: text }));
    const plain = await startGateway(platform.env);
    const dialect = writeAdapter('response: () => ({})');
    const adapted = await startGateway({ ...platform.env, UPSTREAM_DIALECT: dialect });
    const parse = vi.spyOn(JSON, 'parse');
    const timesParsed = async (gateway: typeof plain) => {
      parse.mockClear();
      await gateway.execute(READ);
      return parse.mock.calls.filter(([given]) => given === text).length;
    };

    expect(await timesParsed(plain)).toBe(1);
    expect(await timesParsed(adapted)).toBe(2);
  });
});

describe('an adapter that fails', () => {
  it.each(['request', 'response'])('in production is named without a value: %s', async (hook) => {
    const hooks = `${hook}() { throw new Error('${CANARY}'); }`;
    const { execute, logged } = await startAdapted(hooks, () => FORM, PRODUCTION);

    const { errors } = await execute(READ);

    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`The adapter adapter.ts failed in ${hook} of getForm: `),
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE', retryable: false },
      },
    ]);
    expect(logged).toMatchObject([{ file: 'adapter.ts', place: `${hook} of getForm` }]);
    expect(JSON.stringify([errors, logged])).not.toContain(CANARY);
  });

  it('is logged with the place in its file, and outside production with the message', async () => {
    const hooks = `response() { throw new Error('no such member') }`;
    const { execute, logged } = await startAdapted(hooks, () => FORM);

    await execute(READ);

    expect(logged).toMatchObject([
      {
        msg: 'the adapter failed',
        reason: 'no such member',
        err: {
          type: 'Error',
          at: expect.arrayContaining([expect.stringContaining('adapter.ts:2:')]),
        },
      },
    ]);
  });

  it('leaves the outcome of a change that was sent unknown, and sends it once for its key', async () => {
    const file = auditFile();
    const { execute, seen } = await startAdapted(
      `response({ operation }) { if (operation === 'createFormIntance') throw new Error('${CANARY}'); return {}; }`,
      () => ({ status: 201, body: { idInstance: 1 } }),
      { AUDIT_FILE: file },
    );

    const first = await execute(CREATE, { values: {}, key: 'k' });
    const second = await execute(CREATE, { values: {}, key: 'k' });

    expect([codesOf(first), codesOf(second)]).toEqual([['OUTCOME_UNKNOWN'], ['OUTCOME_UNKNOWN']]);
    expect(first.errors?.[0]?.message).toContain(
      'The adapter adapter.ts failed in response of createFormIntance',
    );
    expect(seen).toHaveLength(1);
    expect(readLines(file).map(({ event }) => event)).toEqual(['sent', 'unknown']);
  });

  it('before a change is sent has done nothing, so that its key can be used again', async () => {
    const file = auditFile();
    const { execute, seen } = await startAdapted(
      `request: ((calls) => () => {
        if (++calls === 1) throw new Error('${CANARY}');
        return {};
      })(0)`,
      () => ({ status: 201, body: { idInstance: 1 } }),
      { AUDIT_FILE: file },
    );

    const first = await execute(CREATE, { values: {}, key: 'k' });
    const second = await execute(CREATE, { values: {}, key: 'k' });

    expect(first.errors).toMatchObject([
      {
        message: expect.stringMatching(
          /^The call to the platform was not sent\. The adapter adapter\.ts failed/,
        ),
        extensions: { code: 'UPSTREAM_INVALID_RESPONSE' },
      },
    ]);
    expect(second.data.createInstance.instance).toEqual({ instanceId: '1' });
    expect(seen).toHaveLength(1);
    expect(readLines(file).map(({ event }) => event)).toEqual(['sent', 'done']);
  });

  it('may be told by a refusal with status 200, which the audit has as failed', async () => {
    const file = auditFile();
    const { execute } = await startAdapted(
      `response: (_, { body }) =>
        body.ok ? {} : { status: 400, body: { errorCode: 'NO', message: body.why } }`,
      () => ({ status: 200, body: { ok: false, why: 'The amount is missing.' } }),
      { AUDIT_FILE: file },
    );

    const { errors } = await execute(CREATE, { values: {} });

    expect(errors).toMatchObject([
      {
        message: 'The amount is missing.',
        extensions: { code: 'BAD_USER_INPUT', upstream: { status: 400 } },
      },
    ]);
    expect(readLines(file).map(({ event }) => event)).toEqual(['sent', 'failed']);
  });
});

describe('the path of an adapter', () => {
  it.each([
    [`['api', 'v9.2', 'accounts(1)', '']`, '/base/api/v9.2/accounts(1)/'],
    [`['http:', 'evil.example']`, '/base/http%3A/evil.example'],
    [`['a?b#c', '%2e%2e', 'd;e@f']`, '/base/a%3Fb%23c/%252e%252e/d%3Be%40f'],
  ])('is encoded below the base address: %s', async (path, expected) => {
    const platform = await scriptPlatform(() => FORM);
    const UPSTREAM_URL = `${platform.env.UPSTREAM_URL}/base`;
    const token = { token: { url: '/../v1.0/token' } };
    const module = `export default { request: () => ({ path: ${path} }) };`;
    const folder = writeFolder({
      'dialect.json': { adapter: 'adapter.mjs', ...token },
      'adapter.mjs': module,
    });
    const UPSTREAM_DIALECT = join(folder, 'dialect.json');
    const { execute } = await startGateway({ ...platform.env, UPSTREAM_URL, UPSTREAM_DIALECT });

    const { errors } = await execute(READ);

    expect(errors).toBeUndefined();
    expect(platform.seen.map(({ url }) => url)).toEqual([expected]);
  });

  it('takes an id with a slash as the interface does, and no other segment with one', async () => {
    const { execute, urls } = await startAdapted(
      `request: ({ operation, ids, path }) =>
        operation === 'startCase' ? { path: ['key', ids.process] } : { path: ['api', ...path] }`,
      () => FORM,
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
  );
  const rules = [1, 2, 3, 4, 5].map(
    (at) => `r${at}: rule(component: "c", version: "${at}") { component }`,
  );

  const answer = await execute(`{ ${rules.join(' ')} }`);

  expect(seen).toHaveLength(5);
  expect(codesOf(answer)).toEqual(['ANSWER_TOO_LARGE']);
});
