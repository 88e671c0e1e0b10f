import { describe, expect, it } from 'vitest';
import type { Reads } from '../../src/cache/cache.ts';
import { CacheStore } from '../../src/cache/store.ts';
import { Work } from '../../src/core/work.ts';
import { valuesOf } from '../upstream/support/http-server.ts';
import { openPlatform } from '../upstream/support/open.ts';
import { openScope } from './support/open-scope.ts';
import { BODY, KEY, openTimed } from './support/open-timed.ts';

const LONG = { definitionsMs: 60_000, instancesMs: 60_000, staleIfErrorMs: 60_000 };
const { signal: patient } = new AbortController();

const form = (reads: Reads) => reads.form('a');
const instance = (reads: Reads) => reads.instance(KEY);

describe('two callers', () => {
  it.each([
    ['a form', form],
    ['an instance', instance],
  ] as const)('share nothing, not even %s', async (_what, read) => {
    const { upstream, requests } = await openPlatform({ status: 200, body: BODY });
    const store = new CacheStore(LONG);

    for (const { cache } of [openScope(upstream, store), openScope(upstream, store)]) {
      await read(cache.reads(new Work({ signal: patient })));
    }

    expect(requests).toHaveLength(2);
    expect(requests.map((received) => valuesOf(received, 'if-modified-since'))).toEqual([[], []]);
  });
});

describe('a caller whom the platform refuses', () => {
  it('gets no cached data', async () => {
    const { run, failNext, requests } = await openTimed(LONG);
    await run(form);
    failNext({ status: 401 }, { status: 401 });
    await run(instance).catch(() => undefined);

    await run(form);

    expect(requests.at(-1)?.target).toBe('/v1.0/forms/a');
  });
});
