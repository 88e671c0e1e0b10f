import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import { startLiveGateway } from '../typed-graph/support/start.ts';
import { startExtended } from './support/start.ts';

const MISFITS = `
export default {
  typeDefs: \`
    extend type Unknown { a: Int }
    extend type PurchaseRequest { amount: Int  strange: Strange  unresolved: Int  whole: Int }
    type Supplier { mine: Int }
    type Own implements Node { other: Int }
    type Other { value: Own, kept: Int }
    input Wrong { field: Supplier }
    type Directed @specifiedBy { a: Int @deprecated(reason: 3) }
    input Twice { a: Int  a: String }
    extend enum PurchaseRequestStatus { LOST }
    extend type Query { other: Other  __own: Int }
  \`,
  resolvers: {
    PurchaseRequest: { whole: () => 1, amount: () => 2, strange: () => 3, notes: () => 4 },
    Query: { other: () => ({ kept: 1 }), nothing: () => 1, __own: () => 1 },
  },
};
`;

describe('a part that does not fit the graph', () => {
  it('is omitted on its own, with file and reason in the log and in /status; /readyz stays 200 and counts it', async () => {
    const { url, execute, lines, leftOut } = await startExtended({ 'misfits.js': MISFITS, 'broken.js': BROKEN });

    const response = await fetch(`${url}/readyz`);
    const { status, checks } = (await response.json()) as Ready;

    const omitted = await leftOut();
    expect([response.status, status, checks.extensions]).toEqual([200, 'ok', `${omitted.length} parts omitted`]);
    const byPlace = Object.fromEntries(omitted.map(({ place, ...rest }) => [place, rest]));
    const misfit = (reason: string) => ({ file: 'misfits.js', reason: expect.stringContaining(reason) });
    expect(byPlace).toEqual({
      typeDefs: { file: 'broken.js', reason: expect.stringMatching(/^1:\d+: Syntax Error/) },
      'Unknown.a': misfit('Cannot extend type "Unknown" because it is not defined.'),
      'PurchaseRequest.amount': misfit('Field "PurchaseRequest.amount" already exists in the schema.'),
      'PurchaseRequest.strange': misfit('Unknown type "Strange".'),
      'PurchaseRequest.unresolved': misfit('It has no resolver.'),
      'PurchaseRequest.notes': misfit('A field of the graph keeps its resolver.'),
      Supplier: misfit('Type "Supplier" already exists in the schema.'),
      Own: misfit('Interface field Node.id expected but Own does not provide it.'),
      Other: misfit('Unknown type "Own".'),
      Wrong: misfit('The type of Wrong.field must be Input Type but got: Supplier.'),
      Directed: misfit('Argument "url" of required type "String!" was not provided.'),
      Twice: misfit('Field "Twice.a" can only be defined once.'),
      PurchaseRequestStatus: misfit('Only types can be added'),
      'Query.other': misfit('Unknown type "Other".'),
      'Query.__own': misfit('Name "__own" must not begin with "__"'),
      'Query.nothing': misfit('typeDefs have no such field.'),
    });
    const told = lines.filter(({ msg }) => String(msg).includes('does not fit the graph'));
    expect(told.map(({ place }) => place).sort()).toEqual(Object.keys(byPlace).sort());
    expect((await execute('{ purchaseRequests(first: 1) { nodes { whole amount } } }')).errors).toBeUndefined();
  });

  it('is added once the form exists, and omitted again when it goes; a metric counts it', async () => {
    const thing: Definition = { idForm: 'thing', fields: [{ name: 'name', type: 'text' }] };
    const platform = await startFormPlatform([OTHER], { valuesOf: () => ({ name: 'a name' }) });
    const folder = writeFolder({
      'own.js':
        'export default { typeDefs: "extend type Thing { shout: String }", resolvers: { Thing: { shout: ({ name }) => name.toUpperCase() } } };',
    });
    const gateway = await startLiveGateway({ ...platform.env, EXTENSIONS: folder, METRICS_PORT: '0' });
    const leftOut = async () => {
      const metrics = await (await fetch(gateway.metricsUrl ?? '')).text();
      return /^caseway_extension_parts_left_out (\d+)/m.exec(metrics)?.[1];
    };
    expect(await leftOut()).toBe('1');

    platform.define([OTHER, thing]);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).includes('shout'));

    const { data } = await gateway.execute('{ things(first: 1) { nodes { shout } } }');
    expect(data.things.nodes).toEqual([{ shout: 'A NAME' }]);
    expect(await leftOut()).toBe('0');

    platform.define([OTHER]);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).length === 0);
    expect(await leftOut()).toBe('1');
  });
});

describe('a module of EXTENSIONS', () => {
  it.each([
    ['is no module', 'export default {', /own\.js: .*(expected|Unexpected|Parse)/i],
    ['throws', 'throw new Error("no rates today");', /own\.js:1: no rates today/],
    ['has no default export', 'export const a = 1;', /own\.js: it has no default export/],
    ['has a member that is none of an extension', 'export default { typedefs: "" };', /own\.js: it: .*typedefs/],
    [
      'has a resolver that is no function',
      'export default { resolvers: { Query: { a: 1 } } };',
      /resolvers\.Query\.a: must be/,
    ],
  ])('makes startup fail, with its file and the reason, when it %s', async (_case, text, reason) => {
    const folder = writeFolder({ 'own.js': text });

    await expect(startGateway({ EXTENSIONS: folder })).rejects.toThrow(reason);
  });

  it('must exist', async () => {
    await expect(startGateway({ EXTENSIONS: '/nowhere/own.ts' })).rejects.toThrow(
      'EXTENSIONS: there is no /nowhere/own.ts',
    );
  });

  it('may be one of several in a folder, of which the first wins a name that two claim', async () => {
    const own = (value: number) =>
      `export default { typeDefs: "extend type Query { one: Int }", resolvers: { Query: { one: () => ${value} } } };`;
    const { execute, leftOut } = await startExtended({
      'a.mjs': own(1),
      'b/index.ts': own(2),
      'b/helper.ts': 'not read',
    });

    expect((await execute('{ one }')).data).toEqual({ one: 1 });
    expect(await leftOut()).toEqual([
      { file: 'b/index.ts', place: 'Query.one', reason: 'Field "Query.one" can only be defined once.' },
    ]);
  });
});

interface Ready {
  readonly status: string;
  readonly checks: { readonly extensions: string };
}

const BROKEN = 'export default { typeDefs: "extend type {" };';
const OTHER: Definition = { idForm: 'other', fields: [{ name: 'label', type: 'text' }] };
