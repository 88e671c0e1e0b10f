import { describe, expect, it } from 'vitest';

import { createDefinitionReader } from '../../../src/features/typed-graph/definitions.ts';
import { openPlatform, type Reply } from '../../upstream/support/open.ts';

const ALL = ['a', 'b', 'c', 'd'];
const listOf = (ids: readonly string[]): Reply => ({
  status: 200,
  body: {
    forms: ids.map((idForm) => ({ idForm, fields: [{ name: 'title' }] })),
    total: ids.length,
  },
});

/**
 * Opens a definition reader for a platform that returns these lists one after another, and the last
 * one from then on.
 */
async function openReader(...lists: readonly (readonly string[])[]) {
  const { upstream, requests } = await openPlatform(() =>
    listOf(lists[requests.length - 1] ?? lists.at(-1) ?? []),
  );
  const reader = createDefinitionReader({
    service: { current: () => upstream },
    ruleKeys: [],
    isIncluded: () => true,
    onUnread: () => undefined,
  });
  const idsOf = async () => (await reader.read()).forms.map(({ formId }) => formId);
  return { reader, requests, idsOf };
}

describe('a list of forms that is suddenly', () => {
  it('much shorter is read again, and the second result is used', async () => {
    const { requests, idsOf } = await openReader(ALL, ['a'], ALL);
    await idsOf();

    expect(await idsOf()).toEqual(ALL);
    expect(requests).toHaveLength(3);
  });

  it('empty is accepted the second time, and from then on at once', async () => {
    const { requests, idsOf } = await openReader(ALL, []);
    await idsOf();

    const found = [await idsOf(), await idsOf()];

    expect(found).toEqual([[], []]);
    expect(requests).toHaveLength(4);
  });

  it('empty at startup is read again where forms are known from a snapshot', async () => {
    const { reader, requests, idsOf } = await openReader([], ALL);
    const known = { kind: 'Form', formId: 'a', isSummary: true, definition: {} } as const;
    reader.remember([known]);

    expect(await idsOf()).toEqual(ALL);
    expect(requests).toHaveLength(2);
  });

  it('a little shorter is accepted at once', async () => {
    const { requests, idsOf } = await openReader(ALL, ['a', 'b', 'c']);
    await idsOf();

    expect(await idsOf()).toEqual(['a', 'b', 'c']);
    expect(requests).toHaveLength(2);
  });
});

it('a form whose fields are an empty list, as summaries have, is read by itself', async () => {
  const form = { fields: [{ name: 'title' }] };
  const summaries = ['a', 'b'].map((idForm) => ({ idForm, fields: [] }));
  const { upstream, requests } = await openPlatform(({ target }) => ({
    status: 200,
    body: target.startsWith('/v1.0/forms?') ? { items: summaries, total: 2 } : form,
  }));
  const options = { ruleKeys: [], isIncluded: () => true, onUnread: () => undefined };
  const reader = createDefinitionReader({ ...options, service: { current: () => upstream } });

  const { forms } = await reader.read();

  expect(forms).toMatchObject([{ fields: [{ name: 'title' }] }, { fields: [{ name: 'title' }] }]);
  expect(requests.map(({ target }) => target.split('?')[0])).toEqual([
    '/v1.0/forms',
    '/v1.0/forms/a',
    '/v1.0/forms/b',
  ]);
});
