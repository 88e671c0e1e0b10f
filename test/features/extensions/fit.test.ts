import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '../../../src/core/log.ts';
import { loadExtensions } from '../../../src/features/extensions/load.ts';

import { writeFolder } from '../../support/folder.ts';
import { type Definition, startFormPlatform } from '../../support/form-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import { startLiveGateway } from '../typed-graph/support/start.ts';
import { startExtended } from './support/start.ts';

interface Status {
  readonly lines: readonly { readonly title: string; readonly text: string }[];
}

/** Reads from the status page why files are left out, by file name. */
async function readLeftOut(metricsUrl = '') {
  const { lines } = (await (await fetch(new URL('/status', metricsUrl))).json()) as Status;
  const files = lines.filter(({ title }) => /\.m?[jt]s$/.test(title));
  return Object.fromEntries(files.map(({ title, text }) => [title, text]));
}

function needing(field: string, needs: string): readonly [typeDefs: string, resolvers: string] {
  const resolvers = `{ PurchaseRequest: { ${field}: { needs: ${JSON.stringify(needs)}, resolve: () => 1 } } }`;
  return [`extend type PurchaseRequest { ${field}: Int }`, resolvers];
}

/** Extensions that do not fit, by a part of the reason that the gateway gives. */
const MISFITS: Readonly<Record<string, readonly [typeDefs: string, resolvers?: string]>> = {
  'Cannot extend type "Unknown"': ['extend type Unknown { a: Int }'],
  'Field "PurchaseRequest.amount" already exists': ['extend type PurchaseRequest { amount: Int }'],
  'Unknown type "Strange"': ['extend type PurchaseRequest { strange: Strange }'],
  'PurchaseRequest.unresolved has no resolver': ['extend type PurchaseRequest { unresolved: Int }'],
  'typeDefs have no field PurchaseRequest.notes': ['', '{ PurchaseRequest: { notes: () => 4 } }'],
  'Type "Supplier" already exists': ['type Supplier { mine: Int }'],
  'Interface field Node.id expected': ['type Own implements Node { other: Int }'],
  'must be Input Type': ['input Wrong { field: Supplier }'],
  'Directive "@specifiedBy" argument "url"': ['scalar Directed @specifiedBy'],
  'Field "Twice.a" can only be defined once': ['input Twice { a: Int  a: String }'],
  'Only types can be added': ['extend enum PurchaseRequestStatus { LOST }'],
  'must not begin with "__"': ['extend type Query { __own: Int }', '{ Query: { __own: () => 1 } }'],
  'Syntax Error': ['type {'],
  'The needs of PurchaseRequest.poor: Cannot query field "riches"': needing('poor', '{ riches }'),
  'The needs of PurchaseRequest.own: Cannot query field "own"': needing('own', '{ own }'),
  'The needs of PurchaseRequest.open: there are no variables.': needing(
    'open',
    '{ value(field: $field) }',
  ),
  'The needs of PurchaseRequest.two: this is no selection': needing(
    'two',
    '{ id } fragment other on PurchaseRequest { id }',
  ),
  'The needs of Mutation.more: a mutation has none.': [
    'extend type Mutation { more: Int }',
    '{ Mutation: { more: { needs: "{ __typename }", resolve: () => 1 } } }',
  ],
  'whole cannot have the type Case of the platform: it has no id': ['type Own { whole: Case }'],
  'page cannot have the type SupplierConnection': [
    'extend type Query { page: SupplierConnection! }',
    '{ Query: { page: () => 1 } }',
  ],
  'rules cannot have the type Rule': [
    'extend type Form { rules: [Rule!]! }',
    '{ Form: { rules: () => [] } }',
  ],
  'any cannot have the type PageInfo': ['union Any = PageInfo | Supplier type Other { any: Any }'],
};
const FITTING =
  'export default { typeDefs: "extend type PurchaseRequest { whole: Int }", resolvers: { PurchaseRequest: { whole: () => 1 } } }';

describe('an extension that does not fit the graph', () => {
  it('is left out, with file and reason in the log and in /status; /readyz stays 200 and counts it', async () => {
    const modules = Object.values(MISFITS).map(([typeDefs, resolvers = '{}'], index) => [
      `misfit${index}.js`,
      `export default { typeDefs: ${JSON.stringify(typeDefs)}, resolvers: ${resolvers} }`,
    ]);
    const files = { ...Object.fromEntries(modules), 'whole.js': FITTING };
    const { url, execute, logged, metricsUrl } = await startExtended(files);

    const response = await fetch(`${url}/readyz`);

    const reasons = await readLeftOut(metricsUrl);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: 'ok',
      checks: { extensions: `${modules.length} left out` },
    });
    for (const [index, reason] of Object.keys(MISFITS).entries())
      expect(reasons[`misfit${index}.js`]).toContain(reason);
    expect(Object.values(reasons)).toContain(
      'left out: PurchaseRequest.unresolved has no resolver.',
    );
    expect(
      logged().filter(({ msg }) => String(msg).includes('does not fit the graph')),
    ).toHaveLength(modules.length);
    expect(
      (await execute('{ purchaseRequests(first: 1) { nodes { whole amount } } }')).errors,
    ).toBeUndefined();
  });

  it('is added once the form exists, and left out again when it goes; a metric counts it', async () => {
    const thing: Definition = { idForm: 'thing', fields: [{ name: 'name', type: 'text' }] };
    const platform = await startFormPlatform([OTHER]);
    const own =
      'export default { typeDefs: "extend type Thing { shout: Int }", resolvers: { Thing: { shout: () => 1 } } };';
    const EXTENSIONS = writeFolder({ 'own.js': own });
    const gateway = await startLiveGateway({ ...platform.env, EXTENSIONS, METRICS_PORT: '0' });
    const leftOut = async () =>
      /^caseway_extension_parts_left_out (\d+)/m.exec(await gateway.metrics())?.[1];
    expect(await leftOut()).toBe('1');

    platform.define([OTHER, thing]);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).includes('shout'));

    const { data } = await gateway.execute('{ things(first: 1) { nodes { shout } } }');
    expect(data.things.nodes).toEqual([{ shout: 1 }]);
    expect(await leftOut()).toBe('0');

    platform.define([OTHER]);
    await gateway.until(async () => (await gateway.fieldsOf('Thing')).length === 0);
    expect(await leftOut()).toBe('1');
  });
});

describe('a module of EXTENSIONS', () => {
  it('is named in the log when it holds up the start', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const held = Promise.withResolvers<void>();
    vi.stubGlobal('held', held.promise);
    onTestFinished(() => void vi.unstubAllGlobals());
    const lines: string[] = [];
    const folder = writeFolder({ 'slow.js': 'await globalThis.held; export default {};' });

    const loading = loadExtensions(
      folder,
      createLog('info', { write: (line: string) => lines.push(line) }),
    );
    vi.advanceTimersByTime(10_000);
    held.resolve();

    expect(await loading).toMatchObject([{ file: 'slow.js' }]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { extension: 'slow.js', msg: 'an extension is still loading' },
    ]);
  });

  it.each([
    ['is no module', 'export default {', /own\.js: .*(expected|Unexpected|Parse)/i],
    ['throws', 'throw new Error("no rates today");', /own\.js:1: no rates today/],
    ['has no default export', 'export const a = 1;', /own\.js: it has no default export/],
    [
      'has a member that is none of an extension',
      'export default { typedefs: "" };',
      /own\.js: it: .*typedefs/,
    ],
    [
      'has a resolver that is no function',
      'export default { resolvers: { Query: { a: 1 } } };',
      /resolvers\.Query\.a: must be/,
    ],
  ])(
    'makes startup fail, with its file and the reason, when it %s',
    async (_case, text, reason) => {
      const folder = writeFolder({ 'own.js': text });

      await expect(startGateway({ EXTENSIONS: folder })).rejects.toThrow(reason);
    },
  );

  it('must exist', async () => {
    await expect(startGateway({ EXTENSIONS: '/nowhere/own.ts' })).rejects.toThrow(
      'EXTENSIONS: there is no /nowhere/own.ts',
    );
  });

  it('may be one of several in a folder: the first one wins a name that two claim, and the log names the others', async () => {
    const own = (value: number) =>
      `export default { typeDefs: "extend type Query { one: Int }", resolvers: { Query: { one: () => ${value} } } };`;
    const { dataOf, logged, metricsUrl } = await startExtended({
      'a.mjs': own(1),
      'b/index.ts': own(2),
      'b/helper.ts': 'not read',
      'c/index.js': 'export default {}',
    });

    expect(await dataOf('{ one }')).toEqual({ one: 1 });
    expect(await readLeftOut(metricsUrl)).toEqual({
      'b/index.ts': expect.stringContaining('Field "Query.one" already exists in the schema'),
    });
    expect(logged().filter(({ msg }) => msg === 'extensions are loaded')).toMatchObject([
      { extensions: ['a.mjs', 'c/index.js'] },
    ]);
  });
});

const OTHER: Definition = { idForm: 'other', fields: [{ name: 'label', type: 'text' }] };
