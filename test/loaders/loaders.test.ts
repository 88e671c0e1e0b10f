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

const form = (id: string) => ({ idForm: id, name: id.toUpperCase(), fields: [{ name: 'title' }] });
/** A single page with all rows and their total. */
const all = (rows: readonly Json[]): Reply => ({
  status: 200,
  headers: { 'x-total-count': String(rows.length) },
  body: rows,
});

/** Answers reads of forms, instances and rules. */
function answer({ target }: { readonly target: string }): Reply {
  const [, , resource, id = '', list] = (target.split('?')[0] ?? '').split('/');
  if (id === 'broken-1') return { status: 400 };
  if (resource === 'rules') return { status: 200, body: { name: id, parameters: [] } };
  if (id === '') return all([form('a'), form('c')]);
  return list ? all([{ idInstance: 2, values: {} }]) : { status: 200, body: form(id) };
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

  it('read a rule once, and limit a failure to its rule', async () => {
    const { loaders, calls } = await openLoaders();
    const read = (component: string) => loaders.read(getParameters, { component, version: '1' });
    const rule = read('a-b');

    await expect(read('broken')).rejects.toMatchObject({ failure: 'rejected' });

    expect(await rule).toMatchObject({ name: 'a-b-1' });
    expect(read('a-b')).toBe(rule);
    expect(calls()).toEqual([
      'PUT /rules/a-b-1/get-parameters',
      'PUT /rules/broken-1/get-parameters',
    ]);
  });
});
