import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import { startLiveGateway } from './support/start.ts';

const SWAPS = 20;
const CLIENTS = 8;

/** A form with a field that differs in each version, and fields that stay. */
const thing = (version: number): Definition => ({
  idForm: 'thing',
  fields: [
    { name: 'name', type: 'text' },
    { name: `only${version}`, type: 'text' },
    { name: 'other', type: 'reference', reference: 'other' },
  ],
});
const OTHER: Definition = { idForm: 'other', fields: [{ name: 'label', type: 'text' }] };
const VALUES = { name: 'a name', other: 2, label: 'a label', only0: 'zero', only1: 'one' };

const startPlatform = (isSummary = false) =>
  startFormPlatform([thing(0), OTHER], { valuesOf: () => VALUES, isSummary });

async function start(env: Env = {}, isSummary = false) {
  const platform = await startPlatform(isSummary);
  const gateway = await startLiveGateway({ ...platform.env, ...env });
  /** Waits until a type has a field. */
  const untilField = (type: string, field: string) =>
    gateway.until(async () => (await gateway.fieldsOf(type)).includes(field));
  return { ...gateway, platform, untilField };
}

describe('the typed graph, when definitions change', () => {
  it(`fails no request while it changes ${SWAPS} times`, async () => {
    const { platform, execute, untilField, fieldsOf } = await start();
    let isOver = false;
    const outcomes = new Set<string>();
    const client = async () => {
      while (!isOver)
        outcomes.add(
          JSON.stringify(await execute('{ things { nodes { name other { label } } } }')),
        );
    };
    const clients = Array.from({ length: CLIENTS }, client);

    for (let version = 1; version <= SWAPS; version++) {
      platform.define([thing(version), OTHER]);
      await untilField('Thing', `only${version}`);
    }
    isOver = true;
    await Promise.all(clients);

    const nodes = Array(5).fill({ name: 'a name', other: { label: 'a label' } });
    expect([...outcomes]).toEqual([JSON.stringify({ status: 200, data: { things: { nodes } } })]);
    expect(await fieldsOf('Thing')).not.toContain('only1');
  });

  it('finishes an operation on the schema that it started with', async () => {
    const { platform, dataOf, until, untilField } = await start();
    const release = platform.hold();
    const asked = dataOf('{ things(first: 1) { nodes { only0 } } }');
    await until(() => platform.calls.some((call) => call.includes('/instances')));

    platform.define([thing(1), OTHER]);
    await untilField('Thing', 'only1');
    release();

    expect(await asked).toEqual({ things: { nodes: [{ only0: 'zero' }] } });
  });

  it('validates documents again, however often they ran before', async () => {
    const { platform, execute, untilField } = await start();
    const [before, after] = ['{ things { nodes { only0 } } }', '{ things { nodes { only1 } } }'];
    for (const _ of [1, 2, 3]) expect((await execute(before)).status).toBe(200);
    expect((await execute(after)).status).toBe(400);

    platform.define([thing(1), OTHER]);
    await untilField('Thing', 'only1');

    for (const _ of [1, 2, 3, 4]) {
      expect((await execute(after)).data.things.nodes[0]).toEqual({ only1: 'one' });
      expect((await execute(before)).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    }
  });
});

describe('the log, when definitions change', () => {
  it('lists the changes, and the trusted documents that no longer fit', async () => {
    const DOCUMENTS = writeFolder({
      'kept.graphql': 'query Kept { things { nodes { name } } }',
      'broken.graphql': 'query Broken { things { nodes { only0 } } }',
    });
    const { platform, logged, until } = await start({ DOCUMENTS });

    platform.define([thing(1), OTHER]);
    await until(() => logged().some(({ msg }) => msg === 'the graph follows the definitions'));

    expect(logged()).toContainEqual(expect.objectContaining({ forms: ['thing'] }));
    expect(logged().filter(({ document }) => document !== undefined)).toMatchObject([
      { document: 'broken', reason: expect.stringContaining('only0') },
    ]);
  });

  it('names a form whose name another one claims now, and the alias that restores it', async () => {
    const { platform, logged, until } = await start();
    const renames = () => logged().filter(({ was }) => was !== undefined);

    platform.define([
      thing(0),
      OTHER,
      { ...OTHER, idForm: 'OTHER' },
      { ...OTHER, idForm: 'things' },
    ]);
    await until(() => renames().length === 2);

    expect(renames()).toMatchObject([
      {
        form: 'other',
        was: 'Other',
        is: expect.stringMatching(/^Other_/),
        alias: '"other": {"name":"Other"}',
      },
      { form: 'thing', was: 'things', is: expect.stringMatching(/^things_/) },
    ]);
  });

  it('names it at startup as well, where a snapshot has the previously served forms', async () => {
    const platform = await startPlatform();
    const TYPED_SNAPSHOT = join(writeFolder({}), 'forms.json');
    await (await startGateway({ ...platform.env, TYPED_SNAPSHOT })).close();

    platform.define([thing(0), OTHER, { ...OTHER, idForm: 'OTHER' }]);
    const { logged } = await startLiveGateway({ ...platform.env, TYPED_SNAPSHOT });

    expect(logged().filter(({ was }) => was !== undefined)).toMatchObject([
      { form: 'other', was: 'Other' },
    ]);
  });

  it('names the form that stays generic and the field that causes it; its instances are still served', async () => {
    const { platform, dataOf, fieldsOf, logged, until } = await start();
    const twice = { idForm: 'thing', fields: [{ name: 'name' }, { name: 'name' }] };
    const part = { idForm: 'part', fields: [{ name: 'name' }, { name: '__proto__' }] };

    platform.define([twice, part, OTHER]);
    await until(async () => (await fieldsOf('Thing')).length === 0);

    const data = await dataOf(
      '{ instances(formId: "thing", first: 1) { nodes { __typename values } } }',
    );
    expect(data.instances.nodes).toEqual([{ __typename: 'GenericInstance', values: VALUES }]);
    await until(() => logged().some(({ form }) => form === 'thing'));
    expect(logged().filter(({ form }) => form !== undefined)).toMatchObject([
      { form: 'part', field: '__proto__', msg: 'a part of a form is left out of the graph' },
      {
        form: 'thing',
        field: 'name',
        reason: 'the form has two fields of this name',
        msg: 'a form stays generic',
      },
    ]);
  });
});

describe('polling the platform for changed definitions', () => {
  it.each([
    ['makes only conditional calls', false, ['/v1.0/forms']],
    [
      'makes one for each form where the list omits the fields',
      true,
      ['/v1.0/forms', '/v1.0/forms/other', '/v1.0/forms/thing'],
    ],
  ])('%s', async (_what, isSummary, paths) => {
    const { platform, until } = await start({}, isSummary);

    await until(() => platform.calls.length > 3 * paths.length);

    const polls = platform.calls.slice(paths.length);
    expect(platform.calls.slice(0, paths.length).sort()).toEqual(paths);
    expect(new Set(polls)).toEqual(new Set(paths.map((path) => `${path} 304`)));
  });

  it('keeps the previous version of a form that cannot be read', async () => {
    const { platform, fieldsOf, logged, untilField } = await start({}, true);

    platform.fail(/thing$/);
    platform.define([thing(1), { idForm: 'other', fields: [{ name: 'newLabel', type: 'text' }] }]);
    await untilField('Other', 'newLabel');

    expect(await fieldsOf('Thing')).toContain('only0');
    expect(logged()).toContainEqual(
      expect.objectContaining({ form: 'thing', msg: 'the definition of a form is unreadable' }),
    );
    platform.fail(undefined);
    await untilField('Thing', 'only1');
  });
});
