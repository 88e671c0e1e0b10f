import { describe, expect, it } from 'vitest';

import type { Json } from '../../src/core/json.ts';
import { RequestState } from '../../src/core/request-state.ts';
import { Loaders } from '../../src/loaders/index.ts';
import { FORMS } from '../../src/upstream/resources/forms.ts';
import { INSTANCES } from '../../src/upstream/resources/instances.ts';
import { getParameters } from '../../src/upstream/resources/rules.ts';
import { openScope } from '../cache/support/open.ts';
import { openPlatform, type Reply } from '../upstream/support/open.ts';

const LIST = { where: [], orderBy: [], offset: 0, count: 10 };

const instance = (id: string) => ({ idInstance: Number(id), values: { amount: Number(id) } });
const form = (id: string) => ({ idForm: id, name: id.toUpperCase(), fields: [{ name: 'title' }] });
/** A single page with all rows and their total. */
const all = (rows: readonly Json[]): Reply => ({
  status: 200,
  headers: { 'x-total-count': String(rows.length) },
  body: rows,
});

/** Answers reads of forms, instances and rules. There is no instance 404. */
function answer({ target }: { readonly target: string }): Reply {
  const { pathname, searchParams } = new URL(target, 'http://h');
  const [, , resource, id, , instanceId] = pathname.split('/');
  if (resource === 'rules') {
    return id === 'broken-1'
      ? { status: 400 }
      : { status: 200, body: { name: id, parameters: [] } };
  }
  if (id === undefined) return all(['a', 'c'].map(form));
  if (instanceId !== undefined) return { status: 200, body: instance(instanceId) };
  if (!pathname.endsWith('/instances')) return { status: 200, body: form(id) };
  const ids = searchParams.get('search')?.split('in:')[1]?.split('|') ?? ['1', '2'];
  return all(ids.filter((one) => one !== '404').map(instance));
}

async function openLoaders() {
  const { upstream, requests } = await openPlatform(answer);
  const loaders = new Loaders(openScope(upstream), new RequestState());
  const calls = () =>
    requests.map(
      ({ method, target }) => `${method} ${decodeURIComponent(target.replace('/v1.0', ''))}`,
    );
  return { loaders, calls };
}

describe('the loaders of one operation', () => {
  it('share one promise for an id within a batch, and use another one in a later batch', async () => {
    const { loaders, calls } = await openLoaders();
    const { byId: formById } = loaders.of(FORMS);

    const [first, second] = [formById.load('a'), formById.load('a')];
    await first;

    expect(second).toBe(first);
    expect(formById.load('a')).not.toBe(first);
    expect(calls()).toEqual(['GET /forms/a']);
  });

  it('read instances form by form: one list for each form', async () => {
    const { loaders, calls } = await openLoaders();
    const keys = [
      ['a', '1'],
      ['b', '1'],
      ['a', '404'],
      ['a', '3'],
    ] as const;

    const found = await Promise.all(
      keys.map(([formId, id]) => loaders.of(INSTANCES, formId).byId.load(id)),
    );

    expect(found).toMatchObject([
      { formId: 'a', instanceId: '1' },
      { formId: 'b' },
      undefined,
      { instanceId: '3' },
    ]);
    expect(calls().sort()).toEqual([
      'GET /forms/a/instances?search=idInstance=in:1|404|3&page-number=1&per-page=3',
      'GET /forms/b/instances/1',
    ]);
  });

  it('are primed with the instances and forms of a list', async () => {
    const { loaders, calls } = await openLoaders();

    await Promise.all([
      loaders.of(INSTANCES, 'a').lists.load(LIST),
      loaders.of(FORMS).lists.load(LIST),
    ]);
    await Promise.all([
      loaders.of(INSTANCES, 'a').byId.load('2'),
      loaders.of(FORMS).byId.load('c'),
    ]);

    expect(calls().sort()).toEqual([
      'GET /forms/a/instances?page-number=1&per-page=10&sort=+idInstance',
      'GET /forms?page-number=1&per-page=10',
    ]);
  });

  it('identify rules by component and version, and limit a failure to its rule', async () => {
    const { loaders, calls } = await openLoaders();
    const keys = [
      { component: 'a-b', version: '1' },
      { component: 'broken', version: '1' },
      { component: 'a', version: 'b-1' },
      { component: 'a-b', version: '1' },
    ];

    const reads = keys.map((key) =>
      loaders.read(getParameters, key).catch((error: unknown) => error),
    );

    const rule = { name: 'a-b-1' };
    expect(await Promise.all(reads)).toMatchObject([
      rule,
      { failure: 'rejected' },
      { name: 'InputError' },
      rule,
    ]);
    expect(calls()).toEqual([
      'PUT /rules/a-b-1/get-parameters',
      'PUT /rules/broken-1/get-parameters',
    ]);
  });
});
