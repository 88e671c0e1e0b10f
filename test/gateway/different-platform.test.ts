import { describe, expect, it } from 'vitest';

import { startBoth } from '../support/different-platform/gateway.ts';
import type { DifferentPlatformOptions } from '../support/different-platform/index.ts';

const VARIETIES: readonly DifferentPlatformOptions[] = [
  { variant: 'B', written: 'sequence', hasOneOf: true },
  { variant: 'A', written: 'flat', hasOneOf: false },
];

describe.each(VARIETIES)('a different platform (variant $variant, written $written, oneOf $hasOneOf)', (options) => {
  it('lists its forms, with fields that only the definitions have', async () => {
    const { execute } = await startBoth(options);

    const { data, errors } = await execute(
      '{ forms { nodes { formId name version fields { name label reference } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.forms.nodes).toMatchObject([
      { formId: 'driver', name: 'Driver', version: '3' },
      { formId: 'vehicle', name: 'Vehicle', version: '12' },
    ]);
    expect(data.forms.nodes[1].fields[3]).toEqual({ name: 'driver', label: 'Regular driver', reference: 'driver' });
  });

  it('pages its instances, with totals and the allowed methods of each', async () => {
    const { execute } = await startBoth(options);
    const page = (number: number) => `{ instances(formId: "vehicle", first: 20, page: ${number}) {
      totalCount pageInfo { hasNextPage } nodes { instanceId values can { replace update delete } }
    } }`;

    const { data: first } = await execute(page(1));
    const { data: last } = await execute(page(2));

    expect(first.instances).toMatchObject({ totalCount: 30, pageInfo: { hasNextPage: true } });
    expect(first.instances.nodes[0]).toEqual({
      instanceId: '101',
      values: { plate: 'CW 100', axles: 2, isElectric: true, driver: 501 },
      can: { replace: true, update: true, delete: true },
    });
    expect(last.instances.nodes).toHaveLength(10);
    expect(last.instances.pageInfo.hasNextPage).toBe(false);
  });

  it('gives the allowed methods of a single instance in a Link header only', async () => {
    const { execute } = await startBoth(options);

    const { data } = await execute(
      '{ instance(formId: "vehicle", instanceId: 101) { links { rel method } can { replace update delete } } }',
    );

    expect(data.instance.links).toContainEqual({ rel: 'self', method: 'PUT' });
    expect(data.instance.can).toEqual({ replace: true, update: true, delete: false });
  });

  it('searches and sorts with its own operators', async () => {
    const { execute, calls } = await startBoth(options);

    const { data, errors } = await execute(`{ instances(
      formId: "vehicle",
      where: [{ field: "axles", operator: GE, value: 4 }, { field: "plate", operator: NE, value: "CW 103" }],
      orderBy: [{ field: "plate", direction: DESC }], first: 2
    ) { nodes { value(field: "plate") } } }`);

    expect(errors).toBeUndefined();
    expect(data.instances.nodes).toEqual([{ value: 'CW 127' }, { value: 'CW 126' }]);
    expect(decodeURIComponent(calls.at(-1)?.path ?? '')).toContain('search=axles=atLeast:4,plate=differs:CW 103&');
  });

  it('returns referenced instances, batched where it can', async () => {
    const { execute, callsBy } = await startBoth(options);

    const { data, errors } = await execute(
      '{ instances(formId: "vehicle", first: 30) { nodes { reference(field: "driver") { value(field: "name") } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.instances.nodes[27].reference).toEqual({ value: 'Driver H' });
    expect(data.instances.nodes[29].reference).toBeNull();
    expect(callsBy('GET')).toHaveLength(options.hasOneOf ? 3 : 2 + 10);
  });

  it('creates, updates and deletes an instance', async () => {
    const { execute, calls } = await startBoth(options);
    const write = (mutation: string, input: string, fields: string) =>
      execute(`mutation { ${mutation}(input: { formId: "vehicle", ${input} }) { ${fields} } }`);

    const created = await write(
      'createInstance',
      'values: { plate: "NEW 1", axles: 3 }',
      'instance { instanceId values }',
    );
    expect(created.data.createInstance.instance).toEqual({
      instanceId: '131',
      values: { plate: 'NEW 1', axles: 3, isElectric: null, driver: null },
    });
    const updated = await write('updateInstance', 'instanceId: 131, values: { axles: 2 }', 'instance { values }');
    expect(updated.data.updateInstance.instance.values).toMatchObject({ plate: 'NEW 1', axles: 2 });
    const replaced = await write('replaceInstance', 'instanceId: 131, values: { axles: 5 }', 'instance { values }');
    expect(replaced.data.replaceInstance.instance.values).toMatchObject({ plate: null, axles: 5 });
    const deleted = await write('deleteInstance', 'instanceId: 131', 'deletedId');
    expect(deleted.errors).toBeUndefined();

    const body = calls.find(({ method, path }) => method === 'POST' && path.includes('/instances'))?.body ?? '';
    expect(Array.isArray(JSON.parse(body))).toBe(options.written === 'sequence');
  });

  it('issues one token, and another one after revoking it', async () => {
    const { execute, callsBy, revokeTokens } = await startBoth(options);

    await execute('{ form(formId: "driver") { name } }');
    await execute('{ form(formId: "driver") { version } }');
    expect(callsBy('POST')).toEqual(['/auth/oauth']);

    revokeTokens();
    expect((await execute('{ form(formId: "vehicle") { name } }')).errors).toBeUndefined();
    expect(callsBy('POST')).toEqual(['/auth/oauth', '/auth/oauth']);
  });
});
