import { describe, expect, it } from 'vitest';

import { auditFile, codesOf, readLines } from '../features/audit/support.ts';
import { type Env, postGraphql, startGateway } from '../support/gateway.ts';
import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';

const FORM = {
  idForm: 'order',
  fields: [
    { name: 'title', type: 'text' },
    { name: 'needed by', type: 'text' },
  ],
};
const REFUSAL = { errorCode: 'LOCKED', message: 'It is locked', traceId: 't' };
const CANARY = 'canary-value';

const ORDER = '{ order(instanceId: 1) { title } }';
const UPDATE =
  'mutation { updateOrder(input: { instanceId: 1, values: { title: "A" }, KEY }) { __typename } }';
const keyed = (mutation: string, key = 'k') => mutation.replace('KEY', `idempotencyKey: "${key}"`);

/** Starts a gateway with types for one form, before a platform that answers its instances so. */
async function start(answer: (method: string) => ScriptedAnswer, env: Env = {}) {
  const platform = await scriptPlatform(({ method, url }) => {
    if (url.startsWith('/v1.0/forms?')) return { body: [FORM] };
    return url.includes('/instances') || method !== 'GET' ? answer(method) : { body: FORM };
  });
  const settings = { ...platform.env, TYPED_FORMS: '*', LOG_LEVEL: 'info', ...env };
  const gateway = await startGateway(settings);
  const callsOf = (part: string) => platform.seen.filter(({ url }) => url.includes(part)).length;
  return { ...gateway, calls: () => callsOf('/instances') };
}

describe('a refusal with a status of success', () => {
  it('reaches the client with its message and fields, and no key keeps it', async () => {
    const body = { ...REFUSAL, violations: [{ field: 'needed by', message: 'too early' }] };
    const { execute, calls } = await start(() => ({ status: 200, body }));

    const [first, second] = [await execute(keyed(UPDATE)), await execute(keyed(UPDATE))];

    for (const { errors } of [first, second]) {
      expect(errors).toMatchObject([
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
    const file = auditFile();
    const { execute, close } = await start(() => answer, { AUDIT_FILE: file });

    await execute(UPDATE.replace(', KEY', ''));
    await close();

    expect(readLines(file).map((line) => line['event'])).toEqual(['sent', event]);
  });

  it('is not kept in place of a record', async () => {
    const answers: ScriptedAnswer[] = [{ body: REFUSAL }, { body: { idInstance: 1, title: 'A' } }];
    const { execute, calls } = await start(() => answers.shift() ?? {}, {
      CACHE_INSTANCES_MS: '60000',
    });

    const [refused, read, cached] = [
      await execute(ORDER),
      await execute(ORDER),
      await execute(ORDER),
    ];

    expect(codesOf(refused)).toEqual(['BAD_USER_INPUT']);
    expect([read.data, cached.data]).toEqual(Array(2).fill({ order: { title: 'A' } }));
    expect(calls()).toBe(2);
  });

  it('pauses the calls where it is the request limit, and a copy is served meanwhile', async () => {
    const limit = { success: false, errors: [{ code: 'REQUEST_LIMIT_EXCEEDED' }] };
    const answers: ScriptedAnswer[] = [{ body: { idInstance: 1, title: 'A' } }];
    const limited = { body: limit, headers: { 'retry-after': '30' } };
    const { execute, calls } = await start(() => answers.shift() ?? limited, {
      STALE_IF_ERROR_MS: '60000',
    });
    await execute(ORDER);

    const [stale, write] = [await execute(ORDER), await execute(UPDATE.replace(', KEY', ''))];

    expect([stale.data, stale.extensions]).toMatchObject([
      { order: { title: 'A' } },
      { stale: [{}] },
    ]);
    expect(codesOf(write)).toEqual(['RATE_LIMITED']);
    expect(calls()).toBe(2);
  });

  it('does not count as silence of the platform, however often it comes', async () => {
    let isRefused = true;
    const { execute } = await start(() => ({
      body: isRefused ? REFUSAL : { idInstance: 1, title: 'A' },
    }));
    for (let count = 0; count < 30; count++) await execute(ORDER);
    isRefused = false;

    expect((await execute(ORDER)).data).toEqual({ order: { title: 'A' } });
  });
});

describe('a response that is not recognised', () => {
  const LOOKED_FOR =
    /idInstance, id \(instance\.id\); values, fields \(instance\.values\); data, result, d \(envelope\)/;

  it('is an error of a read that names operation, members and dialect in message, log and explanation', async () => {
    const { url, lines } = await start(() => ({ body: { state: CANARY } }), { PLAYGROUND: 'on' });

    const answer = await postGraphql(url, { query: ORDER }, { 'x-caseway-explain': '1' });

    const [error] = answer.errors ?? [];
    expect(error?.extensions['code']).toBe('UPSTREAM_INVALID_RESPONSE');
    expect(error?.message).toMatch(/getFormIntance: .* an instance/);
    expect(error?.message).toMatch(LOOKED_FOR);
    const failure = { operation: 'getFormIntance', advice: expect.stringMatching(LOOKED_FOR) };
    expect(answer.extensions).toMatchObject({ failures: [failure] });
    const logged = lines
      .map((line) => JSON.parse(line))
      .find(({ failures }) => failures !== undefined);
    expect(logged).toMatchObject({ failures: [failure] });
    expect(JSON.stringify([answer, lines])).not.toContain(CANARY);
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

    const { data, errors } = await execute(ORDER);

    expect(data).toEqual({ order: null });
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    expect(errors?.[0]?.message).toContain(what);
    expect(errors?.[0]?.message).toMatch(LOOKED_FOR);
    expect(JSON.stringify(errors)).not.toContain(CANARY);
  });

  it('leaves the outcome of a change unknown, with the same words for each repeat, and sends it once', async () => {
    const { execute, calls } = await start(() => ({
      status: 201,
      body: { idInstance: `${CANARY}-uuid` },
    }));
    const create = keyed(
      'mutation { createOrder(input: { values: { title: "A" }, KEY }) { instance { title } } }',
    );

    const [first, second] = [await execute(create), await execute(create)];

    for (const answer of [first, second]) {
      expect(codesOf(answer)).toEqual(['OUTCOME_UNKNOWN']);
      expect(answer.errors?.[0]?.message).toMatch(
        /createFormIntance: .* no integer of 64 bits.* \(instance\.id\)/,
      );
      expect(JSON.stringify(answer)).not.toContain(CANARY);
    }
    expect(calls()).toBe(1);
  });
});

describe('a record', () => {
  it('with status 410 is absent, and its deletion is done', async () => {
    const { execute } = await start(() => ({ status: 410, body: REFUSAL }));

    const read = await execute(ORDER);
    const deleted = await execute(
      'mutation { deleteOrder(input: { instanceId: 1 }) { __typename } }',
    );
    const updated = await execute(UPDATE.replace(', KEY', ''));

    expect([read.data, read.errors]).toEqual([{ order: null }, undefined]);
    expect([deleted.data, deleted.errors]).toEqual([
      { deleteOrder: { __typename: 'DeleteOrderPayload' } },
      undefined,
    ]);
    expect(codesOf(updated)).toEqual(['NOT_FOUND']);
  });
});
