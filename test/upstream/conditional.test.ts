import { describe, expect, it } from 'vitest';
import type { Reply } from './support/http-server.ts';
import { dialectOf, openPlatform } from './support/open.ts';
import type { inWords } from './support/operations.ts';

const BODY = { idForm: 'a', idInstance: 1, values: {}, items: [], parameters: [] };

type Upstream = ReturnType<typeof inWords>;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toUTCString();
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
