import { codesOf, createConnection, violationsOf } from 'caseway/client';
import {
  createMemoryStorage,
  createOfflineQueue,
  type FlushResult,
  type NewChange,
  type OfflineQueueOptions,
  type OfflineStorage,
} from 'caseway/client/offline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const LOST = new TypeError('fetch failed');
const errorOf = (code: string, extensions: object = {}) => ({
  errors: [{ message: code, extensions: { code, retryable: false, ...extensions } }],
});
const LIMITED = errorOf('RATE_LIMITED', { retryable: true, retryAfterMs: 90_000 });
const TIMED_OUT = errorOf('UPSTREAM_TIMEOUT', { retryable: true });
const SIGNED_OUT = errorOf('UNAUTHENTICATED');

/** The data of a bulk write whose items have these results. */
const resultsOf = (...statuses: readonly string[]) =>
  JSON.stringify({ payload: { results: statuses.map((status) => ({ status })) } });

const outcomesOf = ({ changes }: FlushResult) =>
  changes.map(({ change, outcome }) => `${change.note} ${outcome}`);

describe('a queue before a gateway', () => {
  const gateway = shareGateway({ TYPED_FORMS: '*' });
  const DOCUMENTS: Readonly<Record<string, string>> = {
    create: `mutation ($values: CreateSupplierValues!, $idempotencyKey: ID) {
      createSupplier(input: { values: $values, idempotencyKey: $idempotencyKey }) {
        instance { instanceId }
      }
    }`,
    update: `mutation (
      $instanceId: ID!, $name: String, $expected: SupplierExpectedInput, $idempotencyKey: ID
    ) {
      updateSupplier(input: {
        instanceId: $instanceId
        values: { name: $name }
        expected: $expected
        idempotencyKey: $idempotencyKey
      }) { instance { name } }
    }`,
    updateAll: `mutation ($items: [UpdateSuppliersItem!]!, $idempotencyKey: ID) {
      updateSuppliers(input: { items: $items, idempotencyKey: $idempotencyKey }) {
        results { status error { code message retryable current { ... on Supplier { name } } } }
      }
    }`,
  };
  const SUPPLIER = { name: 'New', country: 'IT', active: true };
  const create = (note: string, values: object = SUPPLIER): NewChange => ({
    operation: 'create',
    variables: { values },
    note,
  });
  const rename = (note: string, name: string, expected?: string): NewChange => ({
    operation: 'update',
    variables: { instanceId: '1', name, expected: expected && { name: expected } },
    record: 'supplier 1',
    note,
  });
  const item = (instanceId: string, values: object, expected?: object): NewChange => ({
    operation: 'updateAll',
    variables: { instanceId, values, expected },
    isItem: true,
    record: instanceId,
    note: instanceId,
  });
  const writes = () => gateway.calls.filter((call) => /^(create|update).*FormIntance/.test(call));
  const nameOf = async (instanceId: string) => {
    const { supplier } = await gateway.dataOf(`{ supplier(instanceId: "${instanceId}") { name } }`);
    return supplier.name;
  };

  let lost = 0;
  const { request } = createConnection({
    url: 'unused',
    async fetch(_url, options) {
      const response = await fetch(`${gateway.url}/graphql`, options);
      if (lost === 0) return response;
      lost -= 1;
      throw LOST;
    },
  });
  const open = (storage: OfflineStorage) =>
    createOfflineQueue({
      storage,
      send: (operation, variables) => request(DOCUMENTS[operation] ?? '', variables),
    });

  it('makes a change once if its response is lost, also after a restart', async () => {
    const storage = createMemoryStorage();
    await open(storage).add(create('new'));
    lost = 1;

    const first = await open(storage).flush();
    const second = await open(storage).flush();

    expect([outcomesOf(first), outcomesOf(second)]).toEqual([['new waiting'], ['new done']]);
    expect(first.retryAfterMs).toBeGreaterThan(0);
    expect(second).toMatchObject({
      changes: [{ data: { createSupplier: { instance: { instanceId: expect.any(String) } } } }],
      retryAfterMs: undefined,
    });
    expect(writes()).toHaveLength(1);
    expect(await storage.read()).toEqual([]);
  });

  it('sets a conflict aside with the present values, and later changes of the record wait', async () => {
    const queue = open(createMemoryStorage());
    const name = await nameOf('1');
    await queue.add(rename('stale', 'Ours', 'Somebody else'));
    await queue.add(rename('next', 'Next'));
    await queue.add(create('other record'));

    const first = await queue.flush();
    const [conflict, waiting] = await queue.list();
    await queue.retry(conflict?.id ?? '', rename('', 'Ours', name).variables);
    const second = await queue.flush();

    expect(outcomesOf(first)).toEqual(['stale conflict', 'other record done']);
    expect(conflict?.problem).toMatchObject({ kind: 'conflict', current: { name } });
    expect([waiting?.note, waiting?.problem]).toEqual(['next', undefined]);
    expect(outcomesOf(second)).toEqual(['stale done', 'next done']);
    expect(await nameOf('1')).toBe('Next');
  });

  it('sets a refused change aside with its violations, and sends the others', async () => {
    const queue = open(createMemoryStorage());
    await queue.add(create('bad', { ...SUPPLIER, name: '' }));
    await queue.add(create('good'));

    expect(outcomesOf(await queue.flush())).toEqual(['bad refused', 'good done']);

    const [{ problem } = { problem: undefined }] = await queue.list();
    expect([codesOf(problem), violationsOf(problem)]).toEqual([
      ['BAD_USER_INPUT'],
      { 'values.name': [expect.any(String)] },
    ]);
    expect(await queue.flush()).toEqual({ changes: [], retryAfterMs: undefined });
  });

  it('sends items in one call, again with the same key, and settles each of them', async () => {
    const queue = open(createMemoryStorage());
    const values = { active: false };
    await queue.add(item('1', values, { name: await nameOf('1') }));
    await queue.add(item('2', values, { name: 'Somebody else' }));
    await queue.add(item('3', values, { name: await nameOf('3') }));
    lost = 1;

    expect(outcomesOf(await queue.flush())).toEqual(['1 waiting', '2 waiting', '3 waiting']);
    expect(outcomesOf(await queue.flush())).toEqual(['1 done', '2 conflict', '3 done']);
    expect(writes()).toHaveLength(2);
    expect(await queue.list()).toMatchObject([
      { note: '2', problem: { current: { name: await nameOf('2') } } },
    ]);
  });

  it('finds the one item for which a whole call is refused', async () => {
    const queue = open(createMemoryStorage());
    await queue.add(item('1', { active: false }));
    await queue.add(item('2', { active: 'not a boolean' }));
    await queue.add(item('3', { active: false }));

    expect(outcomesOf(await queue.flush())).toEqual(['1 done', '2 refused', '3 done']);
    expect(writes()).toHaveLength(2);
  });
});

describe('a queue', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const MINUTE_MS = 60_000;
  const passMinutes = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE_MS);

  /** Opens a queue whose calls have these outcomes: an error, or `DONE`. The last one stays. */
  function open(outcomes: readonly unknown[], options: Partial<OfflineQueueOptions> = {}) {
    const keys: unknown[] = [];
    const notes: unknown[] = [];
    const queue = createOfflineQueue({
      storage: createMemoryStorage(),
      async send(_operation, { idempotencyKey, note, items }) {
        keys.push(idempotencyKey);
        notes.push(note ?? (items as readonly { note: string }[]).map((item) => item.note));
        const outcome = outcomes[keys.length - 1] ?? outcomes.at(-1);
        if (typeof outcome !== 'string') throw outcome;
        return outcome === 'DONE' ? { payload: {} } : JSON.parse(outcome);
      },
      ...options,
    });
    const add = (note: string, more: Partial<NewChange> = {}) =>
      queue.add({ operation: 'change', variables: { note }, note, ...more });
    const addItem = (note: string) => add(note, { isItem: true, record: note });
    const flush = async () => outcomesOf(await queue.flush());
    return { ...queue, add, addItem, flush, flushResult: queue.flush, keys, notes };
  }

  it('sends changes in their order, up to one that has to wait as long as the gateway names', async () => {
    const { add, flushResult, notes } = open(['DONE', LIMITED]);
    await Promise.all(['a', 'b', 'c'].map((note) => add(note)));

    const result = await flushResult();

    expect(notes).toEqual(['a', 'b']);
    expect(outcomesOf(result)).toEqual(['a done', 'b waiting']);
    expect(result.retryAfterMs).toBe(90_000);
  });

  it.each([
    ['a lost response', LOST],
    ['a response that is no GraphQL', Object.assign(new Error('No.'), { status: 403 })],
    ['a proxy’s error', errorOf('GATEWAY_TIMEOUT')],
    ['a response without data', '{}'],
    ['a response without the payload', '{"payload":null}'],
  ])('repeats a change with its key after %s', async (_name, outcome) => {
    const { add, flush, list, keys } = open([outcome, LIMITED, SIGNED_OUT, 'DONE']);
    await add('a');

    for (const expected of ['waiting', 'waiting', 'waiting', 'done'])
      expect(await flush()).toEqual([`a ${expected}`]);

    expect(new Set(keys)).toEqual(new Set([expect.any(String)]));
    expect(await list()).toEqual([]);
  });

  it('sends a change with its key after the device was switched off meanwhile', async () => {
    const storage = createMemoryStorage();
    const before = open([], { storage, send: () => new Promise(() => undefined) });
    await before.add('a');
    void before.flush();
    await expect.poll(async () => (await before.list())[0]?.call).toBeDefined();
    const [{ call } = { call: undefined }] = await before.list();
    const after = open(['DONE'], { storage });

    await after.flush();

    expect(after.keys).toEqual([call?.idempotencyKey]);
  });

  it.each([
    ['is sent again after 8 minutes', 8, {}, 'done', 3],
    ['is not sent again 10 minutes after it was first sent', 10, {}, 'unknown', 2],
    [
      'is sent again for as long as the gateway keeps its key',
      58,
      { keyLifetimeMs: () => 59 * MINUTE_MS },
      'done',
      3,
    ],
  ])('a change with lost responses %s', async (_when, minutes, options, outcome, sent) => {
    const { add, flush, keys } = open([LOST, LOST, 'DONE'], options);
    await add('a');
    await flush();
    passMinutes(minutes / 2);
    await flush();
    passMinutes(minutes / 2);

    expect(await flush()).toEqual([`a ${outcome}`]);
    expect(keys).toHaveLength(sent);
  });

  it('reads a change whose key has expired, and sends it with another key if it was not made', async () => {
    const made: Readonly<Record<string, boolean>> = { a: true, b: false };
    const { addItem, flush, keys, notes } = open([LOST, resultsOf('DONE')], {
      wasMade: async ({ note }) => made[String(note)],
    });
    for (const note of ['a', 'b', 'c']) await addItem(note);
    await flush();
    passMinutes(10);

    expect(await flush()).toEqual(['a done', 'c unknown', 'b done']);
    expect(notes).toEqual([['a', 'b', 'c'], ['b']]);
    expect(new Set(keys).size).toBe(2);
  });

  it.each([
    ['the device is offline', { isOnline: () => false }, 0],
    ['the request has not left the device', { isUnsent: () => true }, 1],
  ])('keeps the lifetime of a key while %s', async (_name, options, sent) => {
    const { add, flush, list, keys } = open([LOST], options);
    await add('a');

    expect(await flush()).toEqual(['a waiting']);
    expect(keys).toHaveLength(sent);
    expect((await list()).map(({ call }) => call)).toEqual([undefined]);
  });

  it('settles the items of a call by their results', async () => {
    const results = resultsOf('DONE', 'FAILED', 'UNKNOWN', 'NOT_SENT');
    const { addItem, flush, notes } = open([results, resultsOf('DONE')]);
    for (const note of ['a', 'b', 'c', 'd', 'e']) await addItem(note);

    expect(await flush()).toEqual(['a done', 'b refused', 'c unknown', 'd waiting', 'e unknown']);
    expect(await flush()).toEqual(['d done']);
    expect(notes[1]).toEqual(['d']);
  });

  it('sends each record once in a call, and at most 100 items', async () => {
    const { add, addItem, flush, notes } = open([resultsOf()]);
    await addItem('a');
    await add('a again', { isItem: true, record: 'a' });
    for (let index = 0; index < 100; index++) await addItem(`${index}`);

    await flush();

    // The outcome of the first one is unknown, so the second change of its record waits.
    expect(notes.map((items) => (items as readonly unknown[]).length)).toEqual([1, 100]);
  });

  it('sets a change aside that fails again and again, and then sends the others', async () => {
    const outcomes = [TIMED_OUT, LIMITED, TIMED_OUT, TIMED_OUT, 'DONE'];
    const { add, flush, list, retry } = open(outcomes, { maxAttempts: 3 });
    await add('poison');
    await add('b');

    for (let index = 0; index < 3; index++) expect(await flush()).toEqual(['poison waiting']);
    expect(await flush()).toEqual(['poison failing', 'b done']);
    const [{ id } = { id: '' }] = await list();
    await retry(id);
    expect(await flush()).toEqual(['poison done']);
  });

  it('waits for a network as long as it takes', async () => {
    const { add, flush } = open([LOST], { maxAttempts: 3, keyLifetimeMs: () => 9_000_000 });
    await add('a');

    for (let index = 0; index < 20; index++) expect(await flush()).toEqual(['a waiting']);
  });

  it.each([
    [
      'done',
      'if only its response is incomplete',
      [errorOf('UPSTREAM_TIMEOUT', { written: true })],
    ],
    ['unknown', 'if the gateway does not know the outcome', [errorOf('OUTCOME_UNKNOWN')]],
    ['unknown', 'if it is refused after a lost response', [LOST, errorOf('FORBIDDEN')]],
    [
      'refused',
      'if its values are invalid after a lost response',
      [LOST, errorOf('BAD_USER_INPUT')],
    ],
  ])('takes a change for %s %s', async (outcome, _when, errors) => {
    const { add, flush, keys } = open(errors);
    await add('a');

    const results = [];
    for (const _ of errors) results.push(...(await flush()));

    expect(results.at(-1)).toBe(`a ${outcome}`);
    expect([await flush(), keys.length]).toEqual([[], errors.length]);
  });

  it('has a bound, which changes set aside count for', async () => {
    const { add, flush, list, remove } = open([errorOf('FORBIDDEN')], { maxChanges: 1 });
    const { id } = await add('a');
    await flush();

    await expect(add('b')).rejects.toThrow(RangeError);
    await remove(id);
    await add('b');
    expect(await list()).toMatchObject([{ note: 'b' }]);
  });

  it('sends nothing twice if it is flushed twice, and a later flush sends later changes', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const notes: unknown[] = [];
    const { add, flush } = open([], {
      send: (_operation, { note }) => {
        notes.push(note);
        return promise;
      },
    });
    await add('a');
    const flushes = [flush(), flush()];
    await expect.poll(() => notes).toEqual(['a']);
    await add('b');
    flushes.push(flush());
    resolve({ payload: {} });

    await Promise.all(flushes);

    expect(notes).toEqual(['a', 'b']);
  });

  it('neither repeats a call of which an item was removed, nor reads the others: it may be running', async () => {
    const wasMade = vi.fn(async () => false);
    const { addItem, flush, remove, keys } = open([LOST, 'DONE'], { wasMade });
    const { id } = await addItem('a');
    await addItem('b');
    await flush();
    await remove(id);

    expect(await flush()).toEqual(['b unknown']);
    expect([keys.length, wasMade.mock.calls.length]).toEqual([1, 0]);
  });

  it('does not trust the age of a key after the clock was set back', async () => {
    const { add, flush, keys } = open([LOST, 'DONE']);
    await add('a');
    await flush();
    passMinutes(-60);

    expect(await flush()).toEqual(['a unknown']);
    expect(keys).toHaveLength(1);
  });

  it('sends items again only if the gateway named the reason of a refusal', async () => {
    const { addItem, flush, keys } = open([{ errors: [{ message: 'No.', extensions: {} }] }]);
    for (const note of ['a', 'b']) await addItem(note);

    expect(await flush()).toEqual(['a refused', 'b refused']);
    expect(keys).toHaveLength(1);
  });

  it('repeats a call as a whole if a change between its items is returned', async () => {
    const outcomes = [resultsOf('NOT_SENT', 'FAILED', 'NOT_SENT'), LOST, resultsOf('DONE', 'DONE')];
    const { addItem, flush, retry, notes } = open(outcomes);
    await addItem('a');
    const { id } = await addItem('poison');
    await addItem('b');
    await flush();
    await flush();

    await retry(id);

    expect(await flush()).toEqual(['a done', 'b done', 'poison done']);
    expect(notes.slice(1)).toEqual([['a', 'b'], ['a', 'b'], ['poison']]);
  });

  it('does not send or restore a change that is removed before it is sent', async () => {
    const memory = createMemoryStorage();
    let reads = 0;
    const storage: OfflineStorage = {
      ...memory,
      async read() {
        const changes = await memory.read();
        reads += 1;
        if (reads === 2) void remove(id);
        return changes;
      },
    };
    const { add, flush, list, remove, keys } = open([LOST], { storage });
    const { id } = await add('a');

    expect(await flush()).toEqual([]);
    expect([keys, await list()]).toEqual([[], []]);
  });

  it('returns a change once, because a second time would remove its new key', async () => {
    const storage = createMemoryStorage();
    const { add, flush, retry } = open([errorOf('FORBIDDEN')], { storage });
    const { id } = await add('a');
    await flush();
    const save = vi.spyOn(storage, 'save');

    await Promise.all([retry(id), retry(id)]);

    expect(save).toHaveBeenCalledOnce();
  });

  it('calls a storage’s methods with the storage', async () => {
    const storage = {
      ...createMemoryStorage(),
      turns: 0,
      exclusive<Result>(run: () => Promise<Result>): Promise<Result> {
        this.turns += 1;
        return run();
      },
    };

    await open([], { storage }).flush();

    expect(storage.turns).toBe(1);
  });

  it('does not restore a change that was removed while it was sent', async () => {
    const { promise, reject } = Promise.withResolvers<object>();
    const { add, flush, list, remove } = open([], { send: () => promise });
    const { id } = await add('a');
    const flushed = flush();
    await expect.poll(async () => (await list())[0]?.call).toBeDefined();

    await remove(id);
    reject(LOST);
    await flushed;

    expect(await list()).toEqual([]);
  });
});
