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

const start = async (env: Env = {}, isSummary = false) => {
  const platform = await startFormPlatform([thing(0), OTHER], {
    valuesOf: () => VALUES,
    isSummary,
  });
  return { platform, gateway: await startLiveGateway({ ...platform.env, ...env }) };
};

describe('the typed graph, when definitions change', () => {
  it(`fails no request while it changes ${SWAPS} times`, async () => {
    const { platform, gateway } = await start();
    let isOver = false;
    const outcomes = new Set<string>();
    const client = async () => {
      while (!isOver) {
        const { status, data, errors } = await gateway.execute(
          '{ things { nodes { name other { label } } } }',
        );
        outcomes.add(
          JSON.stringify([
            status,
            errors,
            new Set(data.things.nodes.map(String)).size,
            data.things.nodes[4],
          ]),
        );
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);

    for (let version = 1; version <= SWAPS; version++) {
      platform.define([thing(version), OTHER]);
      await gateway.until(async () => (await gateway.fieldsOf('Thing')).includes(`only${version}`));
    }
    isOver = true;
    await Promise.all(clients);

    expect([...outcomes]).toEqual([
      JSON.stringify([200, undefined, 1, { name: 'a name', other: { label: 'a label' } }]),
    ]);
    expect(await gateway.fieldsOf('Thing')).not.toContain('only1');
  });

  it('finishes an operation on the schema that it started with', async () => {
    const { platform, gateway } = await start();
    const release = platform.hold();
    const asked = gateway.execute('{ things { nodes { only0 } } }');
    await gateway.until(() => platform.calls.some((call) => call.includes('/instances')));

    platform.define([thing(1), OTHER]);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).includes('only1'));
    release();

    expect((await asked).errors).toBeUndefined();
    expect((await asked).data.things.nodes[0]).toEqual({ only0: 'zero' });
  });

  it('validates documents again, however often they ran before', async () => {
    const { platform, gateway } = await start();
    const [before, after] = ['{ things { nodes { only0 } } }', '{ things { nodes { only1 } } }'];
    for (const query of [before, before, before])
      expect((await gateway.execute(query)).status).toBe(200);
    expect((await gateway.execute(after)).status).toBe(400);

    platform.define([thing(1), OTHER]);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).includes('only1'));

    for (const _ of [1, 2, 3, 4]) {
      expect((await gateway.execute(after)).data.things.nodes[0]).toEqual({ only1: 'one' });
      expect((await gateway.execute(before)).errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    }
  });
});

describe('the log, when definitions change', () => {
  it('lists the changes, and the trusted documents that no longer fit', async () => {
    const documents = writeFolder({
      'kept.graphql': 'query Kept { things { nodes { name } } }',
      'broken.graphql': 'query Broken { things { nodes { only0 } } }',
    });
    const { platform, gateway } = await start({ DOCUMENTS: documents });

    platform.define([thing(1), OTHER]);
    await gateway.until(() =>
      gateway.logged().some(({ msg }) => msg === 'the graph follows the definitions'),
    );

    expect(gateway.logged()).toContainEqual(expect.objectContaining({ forms: ['thing'] }));
    const broken = gateway.logged().filter(({ document }) => document !== undefined);
    expect(broken).toMatchObject([
      { document: 'broken', reason: expect.stringContaining('only0') },
    ]);
  });

  it('names a form whose name another one claims now, and the alias that restores it', async () => {
    const { platform, gateway } = await start();
    const renames = () => gateway.logged().filter(({ was }) => was !== undefined);

    platform.define([
      thing(0),
      OTHER,
      { ...OTHER, idForm: 'OTHER' },
      { ...OTHER, idForm: 'things' },
    ]);
    await gateway.until(() => renames().length === 2);

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
    const { env, ...platform } = await startFormPlatform([thing(0), OTHER], {
      valuesOf: () => VALUES,
    });
    const settings = { ...env, TYPED_SNAPSHOT: join(writeFolder({}), 'forms.json') };
    await (await startGateway(settings)).close();

    platform.define([thing(0), OTHER, { ...OTHER, idForm: 'OTHER' }]);
    const { logged } = await startLiveGateway(settings);

    expect(logged().filter(({ was }) => was !== undefined)).toMatchObject([
      { form: 'other', was: 'Other' },
    ]);
  });

  it('names the form that stays generic and the field that causes it; its instances are still served', async () => {
    const { platform, gateway } = await start();
    const twice = { idForm: 'thing', fields: [{ name: 'name' }, { name: 'name' }] };
    const part = { idForm: 'part', fields: [{ name: 'name' }, { name: '__proto__' }] };

    platform.define([twice, part, OTHER]);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).length === 0);

    const { data } = await gateway.execute(
      '{ instances(formId: "thing", first: 1) { nodes { __typename values } } }',
    );
    expect(data.instances.nodes).toEqual([{ __typename: 'GenericInstance', values: VALUES }]);
    await gateway.until(() => gateway.logged().some(({ form }) => form === 'thing'));
    expect(gateway.logged().filter(({ form }) => form !== undefined)).toMatchObject([
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
    const { platform, gateway } = await start({}, isSummary);

    await gateway.until(() => platform.calls.length > 3 * paths.length);

    expect(platform.calls.slice(0, paths.length).sort()).toEqual(paths);
    expect(new Set(platform.calls.slice(paths.length))).toEqual(
      new Set(paths.map((path) => `${path} 304`)),
    );
  });

  it('keeps the previous version of a form that cannot be read', async () => {
    const { platform, gateway } = await start({}, true);

    platform.fail(/thing$/);
    platform.define([thing(1), { idForm: 'other', fields: [{ name: 'newLabel', type: 'text' }] }]);
    await gateway.until(async () => (await gateway.fieldsOf('Other')).includes('newLabel'));

    expect(await gateway.fieldsOf('Thing')).toContain('only0');
    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({ form: 'thing', msg: 'the definition of a form is unreadable' }),
    );
    platform.fail(undefined);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).includes('only1'));
  });
});
