import { describe, expect, it } from 'vitest';

import { startBoth } from '../support/different-platform/gateway.ts';
import type { DifferentPlatformOptions } from '../support/different-platform/index.ts';

const VARIETIES: readonly DifferentPlatformOptions[] = [
  { variant: 'B', written: 'sequence', hasOneOf: true },
  { variant: 'A', written: 'flat', hasOneOf: false },
];

describe.each(VARIETIES)('a different platform (variant $variant, written $written, oneOf $hasOneOf)', (options) => {
  it('lists its forms, with fields that only the definitions have, by one token, and another after revoking it', async () => {
    const { execute, callsBy, revokeTokens } = await startBoth(options);

    const { data, errors } = await execute(
      '{ forms { nodes { formId name version fields { name label reference } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.forms.nodes).toMatchObject([
      { formId: 'driver', name: 'Driver', version: '3' },
      { formId: 'vehicle', name: 'Vehicle', version: '12' },
    ]);
    expect(data.forms.nodes[1].fields[3]).toEqual({ name: 'driver', label: 'Regular driver', reference: 'driver' });
    expect(callsBy('POST')).toEqual(['/auth/oauth']);

    revokeTokens();
    expect((await execute('{ rule(component: "toll-per-axle", version: "3") { name } }')).errors).toBeUndefined();
    expect(callsBy('POST')).toEqual(['/auth/oauth', '/auth/oauth']);
  });

  it('pages, searches and sorts its instances by its own words, with totals and the allowed methods of each', async () => {
    const { execute, calls } = await startBoth(options);

    const { data, errors } = await execute(`{
      first: instances(formId: "vehicle", first: 20, page: 1) {
        totalCount pageInfo { hasNextPage } nodes { instanceId values can { replace update delete } }
      }
      last: instances(formId: "vehicle", first: 20, page: 2) { pageInfo { hasNextPage } nodes { instanceId } }
      one: instance(formId: "vehicle", instanceId: 101) { links { rel method } can { replace update delete } }
      found: instances(
        formId: "vehicle",
        where: [{ field: "axles", operator: GE, value: 4 }, { field: "plate", operator: NE, value: "CW 103" }],
        orderBy: [{ field: "plate", direction: DESC }], first: 2
      ) { nodes { value(field: "plate") } }
    }`);

    expect(errors).toBeUndefined();
    expect(data.first).toMatchObject({ totalCount: 30, pageInfo: { hasNextPage: true } });
    expect(data.first.nodes[0]).toEqual({
      instanceId: '101',
      values: { plate: 'CW 100', axles: 2, isElectric: true, driver: 501 },
      can: { replace: true, update: true, delete: true },
    });
    expect(data.last.nodes).toHaveLength(10);
    expect(data.last.pageInfo.hasNextPage).toBe(false);
    // A single instance has them in a Link header only.
    expect(data.one.links).toContainEqual({ rel: 'self', method: 'PUT' });
    expect(data.one.can).toEqual({ replace: true, update: true, delete: false });
    expect(data.found.nodes).toEqual([{ value: 'CW 127' }, { value: 'CW 126' }]);
    expect(calls.map(({ path }) => decodeURIComponent(path))).toContainEqual(
      expect.stringContaining('search=axles=atLeast:4,plate=differs:CW 103&'),
    );
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

  it('creates, updates, replaces and deletes an instance', async () => {
    const { execute, calls } = await startBoth(options);
    const write = (name: string, input: string, fields = 'instance { instanceId values }') =>
      `${name}(input: { formId: "vehicle", ${input} }) { ${fields} }`;

    const { data, errors } = await execute(`mutation {
      created: ${write('createInstance', 'values: { plate: "NEW 1", axles: 3 }')}
      updated: ${write('updateInstance', 'instanceId: 131, values: { axles: 2 }')}
      replaced: ${write('replaceInstance', 'instanceId: 131, values: { axles: 5 }')}
      ${write('deleteInstance', 'instanceId: 131', 'deletedId')}
    }`);

    expect(errors).toBeUndefined();
    const values = { plate: 'NEW 1', axles: 3, isElectric: null, driver: null };
    expect(data.created.instance).toEqual({ instanceId: '131', values });
    expect(data.updated.instance.values).toEqual({ ...values, axles: 2 });
    expect(data.replaced.instance.values).toMatchObject({ plate: null, axles: 5 });
    const body = calls.find(({ method, path }) => method === 'POST' && path.includes('/instances'))?.body ?? '';
    expect(Array.isArray(JSON.parse(body))).toBe(options.written === 'sequence');
  });
});
