import { buildSchema, isObjectType, parse } from 'graphql';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import { startFormPlatform } from '../../support/form-platform.ts';
import { postGraphql, startCountedGateway, startGateway } from '../../support/gateway.ts';
import { planOf } from '../../support/plan.ts';
import { runCommand } from '../../support/run.ts';

const FEDERATION = { FEDERATION: 'on', TYPED_FORMS: '*' };
const FORM_TYPES = ['Employee', 'Expense', 'PurchaseRequest', 'Supplier'];

const { url, origin, execute, dataOf, calls, close } = await startCountedGateway(FEDERATION);
afterAll(close);

const ENTITIES = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on PurchaseRequest { title supplier { name } }
    ... on Supplier { name }
    ... on Form { formId }
    ... on GenericInstance { instanceId }
  }
}`;

/** A global id, as the graph writes it. */
const idOf = (...key: readonly string[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
const instance = (__typename: string, formId: string, instanceId: number | string) => ({
  __typename,
  id: idOf('Instance', formId, String(instanceId)),
});
const request = (instanceId: number) => instance('PurchaseRequest', 'purchase-request', instanceId);
const supplier = (instanceId: number | string) => instance('Supplier', 'supplier', instanceId);
const form = (formId: string) => ({ __typename: 'Form', id: idOf('Form', formId) });
const upTo = (length: number) => Array.from({ length }, (_, index) => index + 1);

describe('_entities', () => {
  it('reads 100 representations of one form by one list call, duplicates included, and their references by another', async () => {
    calls.length = 0;
    const representations = [...upTo(60), ...upTo(40)].map(request);

    const { _entities } = await dataOf(ENTITIES, { representations });

    expect(_entities).toHaveLength(100);
    expect(_entities[0]).toEqual({
      __typename: 'PurchaseRequest',
      title: 'Torque wrenches for assembly line 2',
      supplier: { name: 'Bergmann Werkzeuge GmbH' },
    });
    expect(_entities.slice(60)).toEqual(_entities.slice(0, 40));
    expect(calls).toEqual(['getFormIntances', 'getFormIntances']);
  });

  it('reads representations of instances of three forms by three list calls, and of forms by one more', async () => {
    const ids = [1, 2].flatMap((id) => [
      request(id),
      supplier(id),
      instance('Employee', 'employee', id),
    ]);
    const representations = [form('purchase-request'), ...ids, form('supplier')];
    calls.length = 0;

    const { _entities } = await dataOf(
      'query ($r: [_Any!]!) { _entities(representations: $r) { __typename ... on Node { id } } }',
      { r: representations },
    );

    expect(_entities).toEqual(representations);
    expect(calls.toSorted()).toEqual([
      'getFormIntances',
      'getFormIntances',
      'getFormIntances',
      'getForms',
    ]);
  });

  it('gives null for an absent instance, and loses only the place of a malformed representation', async () => {
    const malformed = [
      { ...request(1), __typename: 'Supplier' },
      { ...supplier(1), __typename: 'GenericInstance' },
      { ...supplier(1), __typename: 'Nothing' },
      // An id of the platform.
      { __typename: 'Supplier', id: 1 },
      supplier('one'),
      'Supplier',
    ];
    const others = [supplier(1), supplier(9_999), supplier(2), form('nothing')];

    const { data, errors } = await execute(ENTITIES, {
      representations: [...malformed, ...others],
    });

    const names = data._entities.map((one: { name?: string } | null) => one?.name ?? one);
    expect(names).toEqual([
      ...malformed.map(() => null),
      'Bergmann Werkzeuge GmbH',
      null,
      'Papelaria Lisbonense',
      null,
    ]);
    const places = errors?.map(
      ({ path, extensions }) => `${path?.join('.')} ${extensions['code']}`,
    );
    expect(places?.sort()).toEqual(malformed.map((_, at) => `_entities.${at} BAD_USER_INPUT`));
  });

  it('takes representations that stand in the document, and counts them as in a variable', async () => {
    const literal = ({ __typename, id }: ReturnType<typeof supplier>) =>
      `{ __typename: "${__typename}", id: "${id}" }`;
    const document = `query ($id: ID!) {
      one: _entities(representations: [${literal(supplier(1))} ${literal(request(1))}]) { ... on Supplier { name } }
      other: _entities(representations: { __typename: "Supplier", id: $id }) { ... on Supplier { name } }
    }`;
    const variables = { id: supplier(1).id };

    const name = 'Bergmann Werkzeuge GmbH';
    expect(await dataOf(document, variables)).toEqual({ one: [{ name }, {}], other: [{ name }] });
    const plan = await planOf(url, document, variables);
    expect(plan.calls.most).toBe(2);
  });

  it('gives instances of a form without a type as generic ones', async () => {
    const { dataOf } = await startGateway({ ...FEDERATION, TYPED_FORMS: '!supplier' });

    const { _entities } = await dataOf(
      `query ($r: [_Any!]!) {
        _entities(representations: $r) { __typename ... on GenericInstance { id value(field: "name") } }
      }`,
      { r: [instance('GenericInstance', 'supplier', 2)] },
    );

    const { id } = supplier(2);
    expect(_entities).toEqual([
      { __typename: 'GenericInstance', id, value: 'Papelaria Lisbonense' },
    ]);
  });

  it('is counted before it runs, by its forms, its ids and the fields below', async () => {
    const { execute, calls } = await startCountedGateway({ ...FEDERATION, COST_MAX_CALLS: '3' });
    const requests = upTo(60).map(request);
    const representations = [...requests, ...upTo(7).map(supplier), form('supplier')];
    calls.length = 0;

    const { status, errors } = await execute(ENTITIES, { representations });

    expect(status).toBe(400);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('may cost 4 calls'),
        extensions: { code: 'COST_EXCEEDED' },
      },
    ]);
    expect(calls).toEqual([]);
    expect((await execute(ENTITIES, { representations: requests })).errors).toBeUndefined();
  });

  it('counts malformed representations as places of the answer', async () => {
    const aliases = upTo(50).map((n) => `a${n}: _entities(representations: $r) { __typename }`);
    const r = upTo(1_000).map(() => ({}));
    calls.length = 0;

    const answer = await execute(`query ($r: [_Any!]!) { ${aliases.join(' ')} }`, { r });

    expect(answer).toMatchObject({
      status: 400,
      errors: [
        { message: expect.stringContaining('50050 fields'), extensions: { code: 'COST_EXCEEDED' } },
      ],
    });
    expect(calls).toEqual([]);
  });
});

describe('_service', () => {
  it('gives the schema that the command prints, with keys; it composes', async () => {
    const { _service } = await dataOf('{ _service { sdl } }');
    const printed = await runCommand(['subgraph'], {
      UPSTREAM_URL: origin,
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD: 'demo',
    });

    expect(printed.stdout).toBe(_service.sdl);
    expect(printed.stderr).toMatch(
      /^Warning: .*TYPED_ALIASES.*\(Employee, Expense, PurchaseRequest, Supplier\)\.\n$/,
    );
    const schema = readSubgraph(_service.sdl);
    const keyed = Object.values(schema.getTypeMap()).filter(
      (type) =>
        isObjectType(type) && type.astNode?.directives?.some(({ name }) => name.value === 'key'),
    );
    expect(keyed.map(({ name }) => name).toSorted()).toEqual(
      [...FORM_TYPES, 'Form', 'GenericInstance'].toSorted(),
    );
    const names = [
      ...Object.keys(schema.getTypeMap()),
      ...Object.keys(schema.getQueryType()?.getFields() ?? {}),
      ...Object.keys(schema.getMutationType()?.getFields() ?? {}),
    ];
    const left = [
      'node',
      'viewer',
      'signIn',
      'signOut',
      'Viewer',
      'SignInInput',
      'Subscription',
      '_entities',
      '_Any',
    ];
    expect(names.filter((name) => left.includes(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(['suppliers', 'createSupplier', 'instances', 'startCase', 'PageInfo']),
    );
  });

  it('does not show the schema where introspection does not', async () => {
    const { execute } = await startGateway({ ...FEDERATION, PLAYGROUND: 'off' });

    const { errors } = await execute('{ _service { sdl } }');

    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });

  it('gives no schema before the definitions of the forms are read', async () => {
    const platform = await startFormPlatform([]);
    platform.fail(/forms/);
    const { execute } = await startGateway({ ...platform.env, ...FEDERATION });

    const { errors } = await execute('{ _service { sdl } }');

    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  });
});

describe('a gateway with FEDERATION=on', () => {
  it('adds the two fields of a subgraph, and leaves the rest of the graph unchanged', async () => {
    const without = await startGateway({ TYPED_FORMS: '*' });
    const namesOf = async (address: string) => {
      const sdl = await (await fetch(`${address}/schema.graphql`)).text();
      return parse(sdl).definitions.map((node) => ('name' in node ? node.name?.value : node.kind));
    };

    const names = await namesOf(without.url);

    const added = (await namesOf(url)).filter((name) => !names.includes(name));
    expect(added).toEqual(['_Any', '_Entity', '_Service']);
    expect((await without.execute('{ _service { sdl } }')).status).toBe(400);
    expect(await dataOf('{ viewer { name } }')).toHaveProperty('viewer');
  });

  it('measures no fields when a router requests it, and sends nothing to Apollo', async () => {
    vi.stubEnv('APOLLO_KEY', 'service:caseway:key');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { url, lines } = await startGateway({ ...FEDERATION, LOG_LEVEL: 'info' });

    const headers = { 'apollo-federation-include-trace': 'ftv1' };
    const answer = await postGraphql(url, { query: '{ forms { totalCount } }' }, headers);

    expect(answer).toEqual({ status: 200, data: { forms: { totalCount: 4 } } });
    expect(lines.join('\n')).not.toContain('Apollo');
  });

  it('leaves a field out whose name an extension has, with a warning in the log and on the status page', async () => {
    const own = `export default {
      typeDefs: 'extend type Query { _service: Int }',
      resolvers: { Query: { _service: () => 1 } },
    };`;
    const { url, metricsUrl, execute, logged } = await startGateway({
      ...FEDERATION,
      EXTENSIONS: writeFolder({ 'own.js': own }),
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
    });

    const sdl = await (await fetch(`${url}/schema.graphql`)).text();
    const status = await (await fetch(new URL('/status', metricsUrl))).json();

    expect((await execute('{ _service }')).data).toEqual({ _service: 1 });
    expect(sdl).toContain('_entities(');
    expect(logged()).toContainEqual(
      expect.objectContaining({
        level: 40,
        place: 'Query._service',
        msg: 'a field is left out: its name is taken',
      }),
    );
    expect(status).toMatchObject({
      lines: expect.arrayContaining([
        { title: 'Query._service', text: 'left out: its name is taken' },
      ]),
    });
  });

  it('logs the types whose names TYPED_ALIASES does not pin', async () => {
    const folder = writeFolder({ 'aliases.json': { supplier: { name: 'Vendor' } } });

    const { logged } = await startGateway({
      ...FEDERATION,
      LOG_LEVEL: 'warn',
      TYPED_ALIASES: `${folder}/aliases.json`,
    });

    expect(logged().filter(({ types }) => types)).toMatchObject([
      { level: 40, types: ['Employee', 'Expense', 'PurchaseRequest'], count: 3 },
    ]);
  });
});

/** Reads the schema of a subgraph, whose directives the federation specification defines. */
const readSubgraph = (sdl: string) =>
  buildSchema(
    `${sdl}\nscalar Import directive @link(url: String, import: [Import]) on SCHEMA directive @shareable on OBJECT directive @key(fields: String!) on OBJECT`
      .replace('extend schema @link', 'schema @link')
      .replace('"@shareable"])', '"@shareable"]) { query: Query mutation: Mutation }'),
  );
