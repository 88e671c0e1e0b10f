import { describe, expect, it } from 'vitest';

import { auditFile, codesOf, readLines } from '../features/audit/support.ts';
import { type Env, postGraphql, startGateway } from '../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';

const FORM = {
  idForm: 'order',
  fields: ['title', 'needed by'].map((name) => ({ name, type: 'text' })),
};
const REFUSAL = { errorCode: 'LOCKED', message: 'It is locked', traceId: 't' };
const RECORD = { body: { idInstance: 1, title: 'A' } };
const CANARY = 'canary-value';

const ORDER = '{ order(instanceId: 1) { title } }';
const UPDATE =
  'mutation { updateOrder(input: { instanceId: 1, values: { title: "A" } }) { __typename } }';
const withKey = (mutation: string) => mutation.replace('input: {', 'input: { idempotencyKey: "k"');

/** Starts a gateway with types for one form, before a platform that answers its instances so. */
async function start(answer: () => ScriptedAnswer, env: Env = {}) {
  const platform = await scriptPlatform(({ method, url }) => {
    if (url.startsWith('/v1.0/forms?')) return { body: [FORM] };
    return url.includes('/instances') || method !== 'GET' ? answer() : { body: FORM };
  });
  const settings = { ...platform.env, TYPED_FORMS: '*', LOG_LEVEL: 'info', ...env };
  const gateway = await startGateway(settings);
  const calls = () => platform.seen.filter(({ url }) => url.includes('/instances')).length;
  return { ...gateway, calls };
}

describe('a refusal with a status of success', () => {
  it('reaches the client with its message and fields, and no key keeps it', async () => {
    const body = { ...REFUSAL, violations: [{ field: 'needed by', message: 'too early' }] };
    const { execute, calls } = await start(() => ({ status: 200, body }));

    for (const _ of [1, 2]) {
      expect((await execute(withKey(UPDATE))).errors).toMatchObject([
        {
          message: 'It is locked',
          extensions: {
            code: 'BAD_USER_INPUT',
            upstream: { operation: 'updateValuesOfFormIntance', status: 400, errorCode: 'LOCKED' },
            violations: [{ path: ['input', 'values', 'neededBy'], message: 'too early' }],
          },
        },
      ]);
    }
    expect(calls()).toBe(2);
  });

  it.each([
    ['failed', { status: 200, body: REFUSAL }],
    ['failed', { status: 202, body: { success: false, message: 'no' } }],
    ['unknown', { status: 200, body: { ...REFUSAL, idInstance: 1 } }],
    ['unknown', { status: 504, body: '' }],
    ['done', { status: 200, body: { status: 'OK' } }],
    ['done', { status: 200, body: { idInstance: 1, title: 'A', status: 'error' } }],
  ])('is %s in the audit after %j', async (event, answer) => {
    const AUDIT_FILE = auditFile();
    const { execute, close } = await start(() => answer, { AUDIT_FILE });

    await execute(UPDATE);
    await close();

    expect(readLines(AUDIT_FILE)).toMatchObject([{ event: 'sent' }, { event }]);
  });

  it('is not kept in place of a record', async () => {
    const answers: ScriptedAnswer[] = [{ body: REFUSAL }, RECORD];
    const { execute, dataOf, calls } = await start(() => answers.shift() ?? {}, {
      CACHE_INSTANCES_MS: '60000',
    });

    expect(codesOf(await execute(ORDER))).toEqual(['BAD_USER_INPUT']);
    for (const _ of ['read', 'cached'])
      expect(await dataOf(ORDER)).toEqual({ order: { title: 'A' } });
    expect(calls()).toBe(2);
  });

  it('pauses the calls where it is the request limit, and a copy is served meanwhile', async () => {
    const body = { success: false, errors: [{ code: 'REQUEST_LIMIT_EXCEEDED' }] };
    const answers: ScriptedAnswer[] = [RECORD];
    const { execute, calls } = await start(
      () => answers.shift() ?? { body, headers: { 'retry-after': '30' } },
      { STALE_IF_ERROR_MS: '60000' },
    );
    await execute(ORDER);

    const [stale, write] = [await execute(ORDER), await execute(UPDATE)];

    expect(stale).toMatchObject({ data: { order: { title: 'A' } }, extensions: { stale: [{}] } });
    expect(codesOf(write)).toEqual(['RATE_LIMITED']);
    expect(calls()).toBe(2);
  });

  it('does not count as silence of the platform, however often it comes', async () => {
    let isRefused = true;
    const { execute, dataOf } = await start(() => (isRefused ? { body: REFUSAL } : RECORD));
    for (let count = 0; count < 30; count++) await execute(ORDER);
    isRefused = false;

    expect(await dataOf(ORDER)).toEqual({ order: { title: 'A' } });
  });
});

describe('a response that is not recognised', () => {
  const LOOKED_FOR =
    /idInstance, id \(instance\.id\); values, fields \(instance\.values\); data, result, d \(envelope\)/;

  it('is an error of a read that names operation, members and dialect in message, log and explanation', async () => {
    const { url, logged } = await start(() => ({ body: { state: CANARY } }), { PLAYGROUND: 'on' });

    const answer = await postGraphql(url, { query: ORDER }, { 'x-caseway-explain': '1' });

    expect(codesOf(answer)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(answer.errors?.[0]?.message).toMatch(/getFormIntance: .* an instance/);
    expect(answer.errors?.[0]?.message).toMatch(LOOKED_FOR);
    const failures = [{ operation: 'getFormIntance', advice: expect.stringMatching(LOOKED_FOR) }];
    expect(answer.extensions).toMatchObject({ failures });
    expect(logged()).toMatchObject([{ msg: 'operation', failures }]);
    expect(JSON.stringify([answer, logged()])).not.toContain(CANARY);
  });

  it.each<[string, ScriptedAnswer]>([
    ['no body', { status: 200, body: '' }],
    ['an HTML page', { status: 200, body: CANARY, headers: { 'content-type': 'text/html' } }],
    ['no JSON', { status: 200, body: `<xml>${CANARY}` }],
    ['another id', { body: { idInstance: 2, title: CANARY } }],
    [
      'the fields of the form at another place',
      { body: { idInstance: 1, answers: { title: CANARY } } },
    ],
  ])('may have %s', async (what, answer) => {
    const { execute } = await start(() => answer, { NODE_ENV: 'production', CALLER_AUTH: 'none' });

    const { data, errors = [] } = await execute(ORDER);

    expect(data).toEqual({ order: null });
    expect(codesOf({ status: 200, errors })).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(errors[0]?.message).toContain(what);
    expect(errors[0]?.message).toMatch(LOOKED_FOR);
    expect(JSON.stringify(errors)).not.toContain(CANARY);
  });

  it('leaves the outcome of a change unknown, with the same words for each repeat, and sends it once', async () => {
    const body = { idInstance: `${CANARY}-uuid` };
    const { execute, calls } = await start(() => ({ status: 201, body }));

    for (const _ of [1, 2]) {
      const answer = await execute(
        withKey(
          'mutation { createOrder(input: { values: { title: "A" } }) { instance { title } } }',
        ),
      );
      expect(codesOf(answer)).toEqual(['OUTCOME_UNKNOWN']);
      expect(answer.errors?.[0]?.message).toMatch(
        /createFormIntance: .* no integer of 64 bits.* \(instance\.id\)/,
      );
      expect(JSON.stringify(answer)).not.toContain(CANARY);
    }
    expect(calls()).toBe(1);
  });
});

it('a record with status 410 is absent, and its deletion is done', async () => {
  const { execute, dataOf } = await start(() => ({ status: 410, body: REFUSAL }));

  expect(await dataOf(ORDER)).toEqual({ order: null });
  expect(await dataOf('mutation { deleteOrder(input: { instanceId: 1 }) { __typename } }')).toEqual(
    { deleteOrder: { __typename: 'DeleteOrderPayload' } },
  );
  expect(codesOf(await execute(UPDATE))).toEqual(['NOT_FOUND']);
});
