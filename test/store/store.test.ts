import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Reads } from '../../src/store/resource.ts';
import { openPlatform } from '../upstream/support/open.ts';
import { openScope } from './support/open-scope.ts';

const { signal: patient } = new AbortController();
const PAGE = { where: [], orderBy: [], pageNumber: 1, perPage: 10 };
const KEY = { formId: 'a', instanceId: '1' };
const BODY = { idForm: 'a', idInstance: 1, items: [], values: {} };

const READS: readonly (readonly [string, (reads: Reads) => Promise<unknown>])[] = [
  ['getForm', ({ form }) => form('a')],
  ['getForms', ({ forms }) => forms(PAGE)],
  ['getFormIntance', ({ instance }) => instance(KEY)],
  ['getFormIntances', ({ instances }) => instances('a', PAGE)],
  ['getParameters', ({ rule }) => rule({ component: 'r', version: '1' })],
];

async function openStore(body: object = BODY) {
  const platform = await openPlatform({ status: 200, body });
  return { ...platform, ...openScope(platform.upstream) };
}

describe('store', () => {
  it.each(READS)('shares one %s among operations that ask at once', async (_name, read) => {
    const { store, asked } = await openStore();

    const answers = await Promise.all(Array.from({ length: 5 }, () => read(store.reads(new AbortController().signal))));

    expect(asked).toHaveLength(1);
    // The first may let it go before the others come; then it is read from its text once for all of them.
    expect(new Set(answers).size).toBeLessThanOrEqual(2);
    expect(answers.every((answer) => isDeepStrictEqual(answer, answers[0]))).toBe(true);
  });

  it.each(READS)('joins no %s that began before a write which may have touched it', async (name, read) => {
    const { store, asked } = await openStore();

    const before = read(store.reads(patient));
    await store.wrote('everything');
    await Promise.all([before, read(store.reads(patient))]);

    expect(asked).toHaveLength(name.startsWith('getFormIntance') ? 2 : 1);
  });

  it('keeps what differs apart: forms, instances, pages, rules', async () => {
    const { store, asked } = await openStore();
    const { form, forms, instance, instances, rule } = store.reads(patient);

    await Promise.all([
      form('a'),
      form('b'),
      forms(PAGE),
      forms({ ...PAGE, pageNumber: 2 }),
      instance(KEY),
      instance({ formId: 'a', instanceId: '2' }),
      instances('a', PAGE),
      instances('b', PAGE),
      rule({ component: 'a-b', version: '1' }),
      rule({ component: 'a', version: '1' }),
    ]);

    expect(new Set(asked.map(({ target }) => target)).size).toBe(10);
  });

  it('shares nothing between callers', async () => {
    const [ann, bob] = [await openStore(), await openStore({ ...BODY, name: 'for Bob' })];

    const [one, other] = await Promise.all([ann, bob].map(({ store }) => store.reads(patient).form('a')));

    expect([ann.asked.length, bob.asked.length]).toEqual([1, 1]);
    expect([one?.name, other?.name]).toEqual([undefined, 'for Bob']);
  });

  it('shares nothing between the scopes of two callers on one platform', async () => {
    const { upstream, asked } = await openPlatform({ status: 200, body: BODY });
    const scopes = [openScope(upstream), openScope(upstream)];

    await Promise.all(scopes.map(({ store }) => store.reads(patient).form('a')));

    expect(asked).toHaveLength(2);
  });

  it('lets who no longer waits go at once, although the platform never answers', async () => {
    const arrived = Promise.withResolvers<void>();
    const { upstream } = await openPlatform(() => {
      arrived.resolve();
      return new Promise(() => undefined);
    });
    const leaver = new AbortController();
    const waiting = openScope(upstream).store.reads(leaver.signal).form('a');

    await arrived.promise;
    leaver.abort();

    await expect(waiting).rejects.toMatchObject({ failure: 'cancelled', operation: 'getForm' });
  });
});
