import { describe, expect, it } from 'vitest';

import type { Upstream } from '../../src/upstream/index.ts';
import type { ReadOptions, ReadResult } from '../../src/upstream/records.ts';
import { type Received, type Reply, valuesOf } from './support/http-server.ts';
import { dialectOf, failureOf, openPlatform, recordOf } from './support/open.ts';

const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };
const BODY = { idForm: 'a', idInstance: 1, values: {}, items: [], parameters: [] };

type Read = (upstream: Upstream, options?: ReadOptions) => Promise<ReadResult<unknown>>;

const READS: readonly (readonly [string, Read])[] = [
  ['getForm', ({ forms }, options) => forms.read('a', options)],
  ['getForms', ({ forms }, options) => forms.list(PAGE, options)],
  ['getFormIntance', ({ instances }, options) => instances.read({ formId: 'a', instanceId: '1' }, options)],
  ['getFormIntances', ({ instances }, options) => instances.list('a', PAGE, options)],
  ['getParameters', ({ rules }, options) => rules.read({ component: 'r', version: '1' }, options)],
];

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toUTCString();
const sinceOf = (received: Received | undefined) => received && valuesOf(received, 'if-modified-since')[0];
const dated = (modified: number | undefined, date: number | undefined, body: unknown = BODY): Reply => ({
  status: 200,
  headers: {
    ...(modified !== undefined && { 'last-modified': at(modified) }),
    ...(date !== undefined && { date: at(date) }),
  },
  body,
});
const validatorOf = async ({ forms }: Upstream) => {
  const result = await forms.read('a');
  return result.notModified ? 'not modified' : result.validator;
};

describe('a conditional read', () => {
  it.each(READS)('of %s sends the validator, and reports a 304', async (_name, read) => {
    const { upstream, requests } = await openPlatform((received) =>
      sinceOf(received) === undefined ? dated(0, 10) : { status: 304 },
    );

    const first = await read(upstream);
    const second = await read(upstream, { ifModifiedSince: at(0) });

    expect(first).toMatchObject({ notModified: false, validator: at(0), record: expect.anything() });
    expect(requests.map(sinceOf)).toEqual([undefined, at(0)]);
    expect(second).toEqual({ notModified: true });
  });

  it('returns a changed record with its newer validator', async () => {
    const { upstream } = await openPlatform(dated(5, 10, { ...BODY, name: 'new' }));

    const result = await upstream.forms.read('a', { ifModifiedSince: at(0) });

    expect(result).toMatchObject({ notModified: false, record: { name: 'new' }, validator: at(5) });
  });

  it('of a deleted resource returns undefined, without a validator', async () => {
    const { upstream } = await openPlatform({ status: 404 });

    const result = await upstream.instances.read({ formId: 'a', instanceId: '1' }, { ifModifiedSince: at(0) });

    expect(result).toMatchObject({ notModified: false, record: undefined, validator: undefined });
  });
});

describe('a result', () => {
  it('estimates the memory of its record', async () => {
    const { upstream } = await openPlatform(dated(0, 10, { ...BODY, description: 'x'.repeat(10_000) }));

    const result = await upstream.forms.read('a');

    expect(result.notModified ? 0 : result.bytes).toBeGreaterThan(10_000);
  });
});

describe('the validator', () => {
  it.each([
    ['its Last-Modified, which is two seconds old', 8, 10, 8],
    ['nothing, where its Last-Modified is one second old', 9, 10, undefined],
    ['nothing, where its Last-Modified is yet to come', 15, 10, undefined],
    ['two seconds before its Date, where it has no Last-Modified', undefined, 10, 8],
  ])('is %s', async (_what, modified, date, since) => {
    const { upstream } = await openPlatform(dated(modified, date));

    expect(await validatorOf(upstream)).toBe(since === undefined ? undefined : at(since));
  });

  it.each([
    ['its Date cannot be read', { date: 'today', 'last-modified': at(0) }],
    ['its Last-Modified cannot be read', { date: at(10), 'last-modified': 'yesterday' }],
  ])('is absent when %s', async (_what, headers) => {
    const { upstream } = await openPlatform({ status: 200, headers, body: BODY });

    expect(await validatorOf(upstream)).toBeUndefined();
  });

  it('is absent where the dialect says that nothing is to be asked so', async () => {
    const dialect = dialectOf({ unchanged: { isAsked: false } });
    const { upstream } = await openPlatform(dated(0, 10), { dialect });

    expect(await validatorOf(upstream)).toBeUndefined();
  });
});

describe('a 304 to an unconditional request', () => {
  it('causes one plain repeat', async () => {
    const { upstream, requests } = await openPlatform(() => (requests.length === 1 ? { status: 304 } : dated(0, 10)));

    expect((await recordOf(upstream.forms.read('a')))?.formId).toBe('a');
    expect(requests.map(sinceOf)).toEqual([undefined, undefined]);
  });

  it.each(READS)('of %s is malformed the second time', async (operation, read) => {
    const { upstream, requests } = await openPlatform({ status: 304 });

    expect(await failureOf(read(upstream))).toMatchObject({ failure: 'malformed', operation, status: 304 });
    expect(requests).toHaveLength(2);
  });
});
