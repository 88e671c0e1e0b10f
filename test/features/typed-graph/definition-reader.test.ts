import { describe, expect, it } from 'vitest';

import { createDefinitionReader } from '../../../src/features/typed-graph/definitions.ts';
import { type Answerer, openPlatform } from '../../upstream/support/open.ts';

const TITLED = { fields: [{ name: 'title' }] };
const ALL = ['a', 'b', 'c', 'd'];

/** Opens a definition reader for a platform with these responses. */
async function openReader(answer: Answerer) {
  const { upstream, requests } = await openPlatform(answer);
  const reader = createDefinitionReader({
    service: { current: () => upstream },
    ruleKeys: [],
    isIncluded: () => true,
    onUnread: () => undefined,
  });
  const idsOf = async () => (await reader.read()).forms.map(({ formId }) => formId);
  return { reader, requests, idsOf };
}

/** Answers with these lists of forms one after another, and with the last one from then on. */
function answerWith(...lists: readonly (readonly string[])[]): Answerer {
  const rest = [...lists];
  return () => {
    const ids = (rest.length > 1 ? rest.shift() : rest[0]) ?? [];
    const forms = ids.map((idForm) => ({ idForm, ...TITLED }));
    return { status: 200, body: { forms, total: ids.length } };
  };
}

describe('a list of forms that is suddenly', () => {
  it.each([
    ['much shorter is read again, and the second result is used', [ALL, ['a'], ALL], ALL, 3],
    ['a little shorter is accepted at once', [ALL, ['a', 'b', 'c']], ['a', 'b', 'c'], 2],
    ['empty is accepted the second time', [ALL, []], [], 3],
  ])('%s', async (_what, lists, expected, count) => {
    const { requests, idsOf } = await openReader(answerWith(...lists));
    await idsOf();

    expect(await idsOf()).toEqual(expected);
    expect(requests).toHaveLength(count);
  });

  it('empty is accepted at once from then on', async () => {
    const { requests, idsOf } = await openReader(answerWith(ALL, []));
    await idsOf();
    await idsOf();

    expect(await idsOf()).toEqual([]);
    expect(requests).toHaveLength(4);
  });

  it('empty at startup is read again where forms are known from a snapshot', async () => {
    const { reader, requests, idsOf } = await openReader(answerWith([], ALL));
    reader.remember([{ kind: 'Form', formId: 'a', isSummary: true, definition: {} }]);

    expect(await idsOf()).toEqual(ALL);
    expect(requests).toHaveLength(2);
  });
});

it('a form whose fields are an empty list, as summaries have, is read by itself', async () => {
  const items = ['a', 'b'].map((idForm) => ({ idForm, fields: [] }));
  const { reader, requests } = await openReader(({ target }) => ({
    status: 200,
    body: target.startsWith('/v1.0/forms?') ? { items, total: 2 } : TITLED,
  }));

  expect((await reader.read()).forms).toMatchObject([TITLED, TITLED]);
  expect(requests.map(({ target }) => target.split('?')[0])).toEqual([
    '/v1.0/forms',
    '/v1.0/forms/a',
    '/v1.0/forms/b',
  ]);
});
