import { describe, expect, it } from 'vitest';

import type { Upstream } from '../../src/upstream/index.ts';
import type { Asking, Reading } from '../../src/upstream/reading/held.ts';
import { type Received, type Reply, valuesOf } from './support/http-server.ts';
import { dialectOf, failureOf, openPlatform } from './support/open.ts';

const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };
const BODY = { idForm: 'a', idInstance: 1, values: {}, items: [], parameters: [] };

/** Asks one read, with what a reading gave before. */
type Ask = (upstream: Upstream, held?: Reading<never>) => Promise<Reading<unknown>>;

const asking = (held?: Reading<never>): Asking<never> => (held === undefined ? {} : { held });
const READS: readonly (readonly [string, Ask])[] = [
  ['getForm', ({ forms }, held) => forms.read('a', asking(held))],
  ['getForms', ({ forms }, held) => forms.list(PAGE, asking(held))],
  ['getFormIntance', ({ instances }, held) => instances.read({ formId: 'a', instanceId: '1' }, asking(held))],
  ['getFormIntances', ({ instances }, held) => instances.list('a', PAGE, asking(held))],
  ['getParameters', ({ rules }, held) => rules.read({ component: 'r', version: '1' }, asking(held))],
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
const readForm = ({ forms }: Upstream, held?: Reading<never>) => forms.read('a', asking(held));

describe('a read of something that is held', () => {
  it.each(READS)('of %s asks whether it has changed, and gives back what is held after a 304', async (_name, read) => {
    const { upstream, asked } = await openPlatform((received) =>
      sinceOf(received) === undefined ? dated(0, 10) : { status: 304 },
    );

    const first = await read(upstream);
    const second = await read(upstream, first as Reading<never>);

    expect(asked.map(sinceOf)).toEqual([undefined, at(0)]);
    expect(second).toEqual({ ...first, isNotModified: true });
    expect(second.content.record()).toBe(first.content.record());
  });

  it('gives back what is held, unparsed, where the same is sent again, with the newer validator', async () => {
    let count = 0;
    const { upstream } = await openPlatform(() => dated(count, 10 + count++));

    const first = await readForm(upstream);
    const second = await readForm(upstream, first as Reading<never>);

    expect(second.content.record()).toBe(first.content.record());
    expect([second.validator, second.isNotModified]).toEqual([at(1), false]);
  });

  it.each([
    ['its body', {}, { ...BODY, name: 'new' }],
    ['its links', { link: '</next>; rel="next"' }, BODY],
  ])('gives what is new where %s has changed', async (_what, headers, body) => {
    const { upstream, asked } = await openPlatform(() =>
      asked.length === 1 ? dated(0, 10) : { ...dated(5, 10, body), headers },
    );

    const first = await readForm(upstream);
    const second = await readForm(upstream, first as Reading<never>);

    expect(second.version).not.toBe(first.version);
    expect(second.content.record()).not.toBe(first.content.record());
  });

  it('knows absence by a version of its own', async () => {
    const { upstream } = await openPlatform({ status: 404 });

    const [one, other] = [await readForm(upstream), await upstream.instances.read({ formId: 'a', instanceId: '1' })];

    expect(one).toMatchObject({ validator: undefined, version: other.version });
    expect(one.content.record()).toBeUndefined();
  });
});

describe('what is asked since', () => {
  it.each([
    ['its Last-Modified, which is two seconds old', 8, 10, 8],
    ['nothing, where its Last-Modified is one second old', 9, 10, undefined],
    ['nothing, where its Last-Modified is yet to come', 15, 10, undefined],
    ['two seconds before its Date, where it has no Last-Modified', undefined, 10, 8],
  ])('is %s', async (_what, modified, date, since) => {
    const { upstream } = await openPlatform(dated(modified, date));

    expect((await readForm(upstream)).validator).toBe(since === undefined ? undefined : at(since));
  });

  it.each([
    ['its Date cannot be read', { date: 'today', 'last-modified': at(0) }],
    ['its Last-Modified cannot be read', { date: at(10), 'last-modified': 'yesterday' }],
  ])('is nothing, where %s', async (_what, headers) => {
    const { upstream } = await openPlatform({ status: 200, headers, body: BODY });

    expect((await readForm(upstream)).validator).toBeUndefined();
  });

  it.each([
    ['the Date is not to be taken', { isDateTaken: false }, undefined, undefined],
    ['the Date is not to be taken, but Last-Modified is there', { isDateTaken: false }, 0, at(0)],
    ['nothing is to be asked so', { isAsked: false }, 0, undefined],
  ])('is as the dialect says: %s', async (_what, unchanged, modified, since) => {
    const { upstream } = await openPlatform(dated(modified, 10), { dialect: dialectOf({ unchanged }) });

    expect((await readForm(upstream)).validator).toBe(since);
  });
});

describe('a 304 to what was not asked so', () => {
  it('is answered by one plain repeat', async () => {
    const { upstream, asked } = await openPlatform(() => (asked.length === 1 ? { status: 304 } : dated(0, 10)));

    expect((await readForm(upstream)).content.record()?.formId).toBe('a');
    expect(asked.map(sinceOf)).toEqual([undefined, undefined]);
  });

  it.each(READS)('of %s is malformed the second time', async (operation, read) => {
    const { upstream, asked } = await openPlatform({ status: 304 });

    expect(await failureOf(read(upstream))).toMatchObject({ failure: 'malformed', operation, status: 304 });
    expect(asked).toHaveLength(2);
  });

  it('is malformed also where something is held without a validator', async () => {
    const { upstream, asked } = await openPlatform(() => (asked.length === 1 ? dated(9, 10) : { status: 304 }));
    const young = await readForm(upstream);

    const error = await failureOf(readForm(upstream, young as Reading<never>));

    expect(error.failure).toBe('malformed');
    expect(asked).toHaveLength(3);
  });
});
