import { describe, expect, it } from 'vitest';

import { Work } from '../../src/core/work.ts';
import { Loaders } from '../../src/loaders/index.ts';
import type { InstanceKey } from '../../src/upstream/records.ts';
import { FORMS } from '../../src/upstream/resources/forms.ts';
import { INSTANCES } from '../../src/upstream/resources/instances.ts';
import { getParameters } from '../../src/upstream/resources/rules.ts';
import { openScope } from '../cache/support/open-scope.ts';
import type { Received, Reply } from '../upstream/support/http-server.ts';
import { openPlatform } from '../upstream/support/open.ts';
import { answer } from './support/platform.ts';

/** Loads instances of several forms, each with its result or its failure. */
const loadInstances = (loaders: Loaders, keys: readonly InstanceKey[]) =>
  Promise.all(
    keys.map(({ formId, instanceId }) =>
      loaders
        .of(INSTANCES, formId)
        .byId.load(instanceId)
        .catch((error: unknown) => error),
    ),
  );

const LIST = { where: [], orderBy: [], offset: 0, count: 10 };

async function openLoaders(answerer: (received: Received) => Reply = answer) {
  const { upstream, requests } = await openPlatform(answerer);
  const scope = openScope(upstream);
  const loaders = new Loaders(scope, new Work());
  const calls = () =>
    requests.map(({ method, target }) => `${method} ${decodeURIComponent(target.replace('/v1.0', ''))}`);
  return { loaders, calls, cache: scope.cache };
}

describe('the loaders of one operation', () => {
  it('read forms without fields one by one, since a list of summaries has less', async () => {
    const { loaders, calls } = await openLoaders((received) =>
      received.target.includes('?')
        ? { status: 200, body: [{ idForm: 'a' }, { idForm: 'b', fields: [] }] }
        : answer(received),
    );

    const forms = await Promise.all(['a', 'b'].map((formId) => loaders.of(FORMS).byId.load(formId)));

    expect(forms).toMatchObject([{ name: 'A', fields: [] }, { formId: 'b' }]);
    expect(calls().slice(1)).toEqual(['GET /forms/a']);
  });

  it('give all loads of one id in a batch one promise, and those of a later batch another', async () => {
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
      { formId: 'a', instanceId: '1' },
      { formId: 'b', instanceId: '1' },
      { formId: 'a', instanceId: '404' },
      { formId: 'a', instanceId: '3' },
    ];

    const found = await loadInstances(loaders, keys);

    expect(found).toMatchObject([{ formId: 'a', instanceId: '1' }, { formId: 'b' }, undefined, { instanceId: '3' }]);
    expect(calls().sort()).toEqual([
      'GET /forms/a/instances?search=idInstance=in:1|404|3&page-number=1&per-page=3',
      'GET /forms/b/instances/1',
    ]);
  });

  it('limit a failure to the form that failed', async () => {
    const { loaders } = await openLoaders();
    const keys = ['locked', 'a'].flatMap((formId) => ['1', '2'].map((instanceId) => ({ formId, instanceId })));

    const found = await loadInstances(loaders, keys);

    const forbidden = expect.objectContaining({ failure: 'forbidden' });
    expect(found).toEqual([forbidden, forbidden, expect.objectContaining({ formId: 'a' }), expect.anything()]);
  });

  it('reject an instance id that is not an integer, and no other', async () => {
    const { loaders } = await openLoaders();
    const keys = ['1', 'x', '2'].map((instanceId) => ({ formId: 'a', instanceId }));

    const found = await loadInstances(loaders, keys);

    expect(found).toMatchObject([{ instanceId: '1' }, { name: 'InputError' }, { instanceId: '2' }]);
  });

  it('are primed with the instances and forms of a list', async () => {
    const { loaders, calls } = await openLoaders();

    await Promise.all([loaders.of(INSTANCES, 'a').lists.load(LIST), loaders.of(FORMS).lists.load(LIST)]);
    await Promise.all([loaders.of(INSTANCES, 'a').byId.load('2'), loaders.of(FORMS).byId.load('c')]);

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

    const reads = keys.map((key) => loaders.read(getParameters, key).catch((error: unknown) => error));
    const found = await Promise.all(reads);

    expect(found).toMatchObject([
      { name: 'a-b-1' },
      { failure: 'rejected' },
      { name: 'InputError' },
      { name: 'a-b-1' },
    ]);
    expect(calls()).toEqual(['PUT /rules/a-b-1/get-parameters', 'PUT /rules/broken-1/get-parameters']);
  });

  it('forget everything when cleared, so that data is read afresh after a write', async () => {
    const { loaders, calls, cache } = await openLoaders();
    const readAll = () =>
      Promise.all([
        loaders.of(FORMS).byId.load('a'),
        loaders.of(INSTANCES, 'a').byId.load('1'),
        loaders.read(getParameters, { component: 'r', version: '1' }),
        loaders.of(FORMS).lists.load(LIST),
        loaders.of(INSTANCES, 'b').lists.load(LIST),
      ]);

    await readAll();
    loaders.clear();
    cache.invalidate('everything');
    await readAll();

    const instances = calls()
      .slice(0, 5)
      .filter((call) => call.includes('/instances'));
    expect(calls().slice(5).sort()).toEqual(instances.sort());
    expect(instances).toHaveLength(2);
  });
});
