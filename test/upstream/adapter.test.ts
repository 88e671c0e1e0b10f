import { describe, expect, expectTypeOf, it } from 'vitest';

import { createLog } from '../../src/core/log.ts';
import { createAdapt } from '../../src/upstream/adapter/adapt.ts';
import {
  type Adapter,
  type AdapterCall,
  type AdapterList,
  type AdapterResponse,
  defineAdapter,
  exactNumber,
  type Json,
  type OperationIds,
} from '../../src/upstream/adapter/adapter.ts';
import { OPERATIONS, type OperationName } from '../../src/upstream/operations.ts';
import type { Ids, ResponseHeaders } from '../../src/upstream/records.ts';
import type { ListQuery } from '../../src/upstream/search.ts';
import {
  ANSWER,
  type Answerer,
  CALL_ROWS,
  failureOf,
  openPlatform,
  type Reply,
} from './support/open.ts';

const CANARY = 'secret-canary';
const FORM = { status: 200, body: { idForm: 'a' } };

/** Opens an upstream with an adapter in production. `logged` has the lines of the log. */
async function openAdapted(adapter: Adapter, answer: Answerer | Reply = FORM) {
  const logged: string[] = [];
  const log = createLog('warn', { write: (line) => logged.push(line) });
  const options = { variant: 'B', log, isProduction: true } as const;
  const adapt = createAdapt({ name: 'adapter.ts', ...adapter }, options);
  return { ...(await openPlatform(answer, { adapt })), logged };
}

/** The arguments of an operation that are ids in its path. */
type IdsInPath<Name extends OperationName> = Readonly<
  Pick<Ids, keyof Ids & keyof Parameters<(typeof OPERATIONS)[Name]['path']>[0]>
>;

describe('the types of an adapter', () => {
  it('have each operation, with its ids and its list', () => {
    expectTypeOf<AdapterCall['operation']>().toEqualTypeOf<OperationName>();
    expectTypeOf<{ [Name in OperationName]: Readonly<OperationIds[Name]> }>().toEqualTypeOf<{
      [Name in OperationName]: IdsInPath<Name>;
    }>();
    expectTypeOf<Omit<AdapterList, 'pageNumber'>>().toEqualTypeOf<Omit<ListQuery, 'pageNumber'>>();
    expectTypeOf<keyof AdapterResponse['headers']>().toEqualTypeOf<
      Exclude<keyof ResponseHeaders, 'authorization'>
    >();
  });

  it('narrow the ids by the operation', () => {
    defineAdapter({
      request(call) {
        expectTypeOf(call.body).toEqualTypeOf<Json | undefined>();
        if (call.operation !== 'getFormIntance') return {};
        expectTypeOf(call.ids).toEqualTypeOf<{
          readonly formId: string;
          readonly instanceId: string;
        }>();
        expectTypeOf(call.list).toEqualTypeOf<undefined>();
        return { path: [call.ids.formId, call.ids.instanceId] };
      },
      // @ts-expect-error an adapter is synchronous
      response: async () => ({}),
    });
    // @ts-expect-error a hook returns a change
    defineAdapter({ request: () => undefined });
  });
});

describe('an adapter', () => {
  it('gets the ids and the request of each operation, frozen', async () => {
    const given: unknown[][] = [];
    const hook = (...args: unknown[]) => {
      given.push(args);
      return {};
    };
    const { upstream, requests } = await openAdapted({ request: hook, response: hook }, ANSWER);

    for (const [name, method, { call, hasBody }] of CALL_ROWS) {
      await call(upstream);

      const seen = given.splice(0).flat();
      expect(seen).toHaveLength(3);
      expect(seen.every(isFrozen)).toBe(true);
      expect(seen[1]).toEqual(seen[0]);
      const { ids, list, path, body, ...rest } = seen[0] as AdapterCall;
      expect(rest).toMatchObject({ operation: name, method });
      expect(Object.values(ids).every((id) => typeof id === 'string' && id !== '')).toBe(true);
      expect(list !== undefined).toBe('query' in OPERATIONS[name as OperationName]);
      const sent = requests.at(-1);
      expect(sent?.target.split('?')[0]).toBe(`/${path.map(encodeURIComponent).join('/')}`);
      expect(sent?.body).toBe(hasBody ? JSON.stringify(body) : '');
    }
  });

  it('leaves an address alone that it does not change, however long', async () => {
    const request = (call: AdapterCall) => call;
    const { upstream, requests } = await openAdapted({ request }, { status: 200, body: [] });
    const values = ['x'.repeat(9_000)];
    const where = [{ field: 'a', operator: 'EQ', values }] as const;

    const query = { formId: 'a', where, orderBy: [], pageNumber: 1, perPage: 1 };
    await upstream.read(OPERATIONS.getFormIntances, query);

    expect(requests[0]?.target).toContain(values[0]);
  });

  it('sends an exact number among others', async () => {
    const digits = '123456789012345678901234567890.5';
    const { readForm, requests } = await openAdapted({
      request: () => ({ body: { exact: exactNumber(digits), text: digits } }),
    });

    await readForm();

    expect(requests[0]?.body).toBe(`{"exact":${digits},"text":"${digits}"}`);
    expect(() => exactNumber('1,5')).toThrow(SyntaxError);
  });
});

const isFrozen = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozen));

/** Hooks that fail, and the reported problem. */
const FAULTS: readonly [problem: RegExp, hooks: object][] = [
  [/threw an error/, { response: () => fail(new Error(CANARY)) }],
  [/threw an error/, { request: () => fail(null) }],
  [/returned a promise/, { response: () => Promise.reject(new Error(CANARY)) }],
  [/returned a promise/, { request: () => Promise.resolve({}) }],
  [/its result: Invalid input: expected object, received undefined/, { response: () => undefined }],
  [/status: must not be 304/, { response: () => ({ status: 304 }) }],
  [/status: Too small/, { response: () => ({ status: 99 }) }],
  [
    /headers: Unrecognized key: "authorization"/,
    { response: () => ({ headers: { authorization: CANARY } }) },
  ],
  [
    /headers.x-total-count: Invalid input: expected string/,
    { response: () => ({ headers: { 'x-total-count': 1 } }) },
  ],
  [/member than status, headers, body/, { response: () => ({ text: CANARY }) }],
  [/member than path, query, body/, { request: (call: object) => ({ ...call, method: 'PUT' }) }],
  [/another member/, { request: (call: object) => ({ ...call, ids: { formId: CANARY } }) }],
  [/threw an error/, { request: (call: object) => Object.assign(call, { path: [CANARY] }) }],
  [/threw an error/, { response: (_: object, got: object) => Object.assign(got, { body: 1 }) }],
  [/path: Invalid input: expected array/, { request: () => ({ path: `forms/${CANARY}` }) }],
  [/path: Too small/, { request: () => ({ path: [] }) }],
  [/path.0: Invalid input: expected string/, { request: () => ({ path: [1] }) }],
  [/query.a: Invalid input/, { request: () => ({ query: { a: 1 } }) }],
  [/threw an error/, { request: () => ({ query: { a: '\ud800' } }) }],
  [/contains Number, which JSON does not have/, { response: () => ({ body: [Number.NaN] }) }],
  [/contains Undefined/, { response: () => ({ body: { a: undefined } }) }],
  [/contains Function/, { response: () => ({ body: { a: () => CANARY } }) }],
  [/contains Map/, { request: () => ({ body: new Map() }) }],
  [/threw an error/, { response: () => ({ body: selfContaining() }) }],
  [/more than 10485760 characters/, { response: () => ({ body: 'x'.repeat(10_485_760) }) }],
  [/more than 10485760 characters/, { response: () => ({ body: '\0'.repeat(2_000_000) }) }],
  [/more than 10485760 characters/, { request: () => ({ body: Array(6_000_000).fill(0) }) }],
];

const fail = (error: unknown): never => {
  throw error;
};

function selfContaining(): Json[] {
  const list: Json[] = [];
  list.push(list);
  return list;
}

describe('an adapter that fails', () => {
  it.each(FAULTS)('is named without a value: %s', async (problem, hooks) => {
    const { readForm, requests, logged } = await openAdapted(hooks);

    const error = await failureOf(readForm());

    const hook = 'request' in hooks ? 'request' : 'response';
    const place = `${hook} of getForm`;
    expect(error).toMatchObject({
      failure: 'malformed',
      isUnsent: hook === 'request',
      isFinal: true,
    });
    expect(error.advice).toMatch(/^The adapter adapter\.ts failed in re\w+ of getForm: .*\.$/);
    expect(error.advice).toMatch(problem);
    expect(requests).toHaveLength(hook === 'request' ? 0 : 1);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ file: 'adapter.ts', place }]);
    expect(error.advice + logged.join()).not.toContain(CANARY);
  });
});

describe('the path of an adapter', () => {
  it.each<[what: string, path: readonly string[]]>([
    ['goes up', ['..', 'admin']],
    ['stays', ['.', 'admin']],
    ['goes up later', ['forms', '..', '..', 'admin']],
    ['goes up within a segment', ['forms', '../admin']],
    ['goes up by a backslash', ['forms', '..\\admin']],
    ['begins with two slashes', ['', 'evil.example']],
    ['is a slash', ['']],
    ['has an empty segment', ['forms', '', 'f']],
    ['ends with two slashes', ['forms', 'f', '', '']],
    ['has a line break', ['forms', 'a\nb']],
    ['has a long segment', ['forms', 'x'.repeat(257)]],
    ['is long', Array(9_000).fill('x')],
  ])('is refused where it %s', async (_what, path) => {
    const { readForm, requests } = await openAdapted({ request: () => ({ path }) });

    const { advice } = await failureOf(readForm());

    expect(advice).toMatch(/its path/);
    expect(requests).toEqual([]);
  });
});
