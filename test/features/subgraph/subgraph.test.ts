import { buildSchema, isObjectType, parse } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import { startFormPlatform } from '../../support/form-platform.ts';
import { type Env, postGraphql, startCountedGateway, startGateway } from '../../support/gateway.ts';
import { defineThings } from '../../support/many-instances.ts';
import { runCommand } from '../../support/run.ts';

const FEDERATION = { FEDERATION: 'on', TYPED_FORMS: '*' };

const CREDENTIALS = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };

const ENTITIES = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Thing { name owner { name } }
    ... on Owner { ownerName: name }
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
const thing = (instanceId: number | string) => instance('Thing', 'thing', instanceId);
const owner = (instanceId: number | string) => instance('Owner', 'owner', instanceId);
const form = (formId: string) => ({ __typename: 'Form', id: idOf('Form', formId) });

async function startThings(env: Env = {}) {
  const folder = defineThings({ things: 120, owners: 7 });
  const gateway = await startCountedGateway({ ...FEDERATION, ...env }, { definitions: folder });
  const resolve = (representations: readonly unknown[], document = ENTITIES) =>
    gateway.execute(document, { representations });
  gateway.calls.length = 0;
  return { ...gateway, resolve };
}

const upTo = (length: number) => Array.from({ length }, (_, index) => index + 1);

describe('_entities', () => {
  it('reads 100 representations of one form by one list call, duplicates included, and their references by another', async () => {
    const { resolve, calls } = await startThings();

    const { data, errors } = await resolve([...upTo(90).map(thing), ...upTo(10).map(thing)]);

    expect(errors).toBeUndefined();
    expect(data._entities).toHaveLength(100);
    expect(data._entities[0]).toEqual({
      __typename: 'Thing',
      name: 'thing 0',
      owner: { name: 'owner 0' },
    });
    expect(data._entities[99]).toEqual({
      __typename: 'Thing',
      name: 'thing 9',
      owner: { name: 'owner 2' },
    });
    expect(calls).toEqual(['getFormIntances', 'getFormIntances']);
  });

  it('reads representations of instances of three forms by three list calls, and of forms by one more', async () => {
    const { execute, dataOf, calls } = await startCountedGateway(FEDERATION);
    const { data: first } = await execute(`{
      purchaseRequests(first: 2) { nodes { id __typename } }
      suppliers(first: 2) { nodes { id __typename } }
      employees(first: 2) { nodes { id __typename } }
    }`);
    const { purchaseRequests, suppliers, employees } = first;
    const forms = ['purchase-request', 'supplier'].map(form);
    const groups = [...[purchaseRequests, suppliers, employees].map(({ nodes }) => nodes), forms];
    const representations = [0, 1].flatMap((index) => groups.map((group) => group[index]));
    calls.length = 0;

    const data = await dataOf(
      `query ($representations: [_Any!]!) {
        _entities(representations: $representations) { __typename ... on Node { id } ... on PurchaseRequest { title } }
      }`,
      { representations },
    );

    expect(data._entities).toMatchObject(representations);
    expect(calls.toSorted()).toEqual([
      'getFormIntances',
      'getFormIntances',
      'getFormIntances',
      'getForms',
    ]);
  });

  it('gives null for an absent instance, and loses only the place of a malformed representation', async () => {
    const { resolve } = await startThings();
    const malformed = [
      { ...owner(1), __typename: 'Thing' },
      { ...thing(1), __typename: 'GenericInstance' },
      { ...thing(1), __typename: 'Nothing' },
      // An id of the platform.
      { __typename: 'Thing', id: 1 },
      thing('one'),
      'Thing',
    ];

    const { data, errors } = await resolve([
      ...malformed,
      thing(1),
      thing(9_999),
      thing(2),
      form('nothing'),
    ]);

    const names = data._entities.map((one: { name?: string } | null) => one?.name ?? one);
    expect(names).toEqual([...malformed.map(() => null), 'thing 0', null, 'thing 1', null]);
    const places = errors?.map(
      ({ path, extensions }) => `${path?.join('.')} ${extensions['code']}`,
    );
    expect(places?.sort()).toEqual(malformed.map((_, at) => `_entities.${at} BAD_USER_INPUT`));
  });

  it('takes representations that stand in the document', async () => {
    const { dataOf } = await startThings();
    const { id } = thing(3);

    const data = await dataOf(
      `query ($id: ID!) {
        one: _entities(representations: [{ __typename: "Thing", id: "${id}" }]) { ... on Thing { name } }
        other: _entities(representations: { __typename: "Thing", id: $id }) { ... on Thing { name } }
      }`,
      { id },
    );

    expect(data).toEqual({ one: [{ name: 'thing 2' }], other: [{ name: 'thing 2' }] });
  });

  it('gives instances of a form without a type as generic ones', async () => {
    const { resolve } = await startThings({ TYPED_FORMS: '!thing' });

    const { data, errors } = await resolve(
      [instance('GenericInstance', 'thing', 5)],
      `query ($representations: [_Any!]!) {
        _entities(representations: $representations) { __typename ... on GenericInstance { id value(field: "name") } }
      }`,
    );

    expect(errors).toBeUndefined();
    expect(data._entities).toEqual([
      { __typename: 'GenericInstance', id: thing(5).id, value: 'thing 4' },
    ]);
  });

  it('is counted before it runs, by its forms, its ids and the fields below', async () => {
    const { resolve, calls } = await startThings({ COST_MAX_CALLS: '3' });
    const representations = [...upTo(60).map(thing), ...upTo(7).map(owner), form('thing')];

    const { status, errors } = await resolve(representations);

    expect(status).toBe(400);
    expect(errors?.[0]?.extensions['code']).toBe('COST_EXCEEDED');
    expect(errors?.[0]?.message).toMatch(/may cost 4 calls/);
    expect(calls).toEqual([]);
    expect((await resolve(representations.slice(0, 60))).errors).toBeUndefined();
  });

  it('counts malformed representations as places of the answer', async () => {
    const { execute, calls } = await startThings();
    const aliases = upTo(50).map((n) => `a${n}: _entities(representations: $r) { __typename }`);
    const r = upTo(1_000).map(() => ({}));

    const { status, errors } = await execute(`query ($r: [_Any!]!) { ${aliases.join(' ')} }`, {
      r,
    });

    expect(status).toBe(400);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/50050 fields/), extensions: { code: 'COST_EXCEEDED' } },
    ]);
    expect(calls).toEqual([]);
  });

  it('counts a literal representation as one of a variable', async () => {
    const { execute } = await startThings({ COST_MAX_CALLS: '1' });
    const literal = ({ __typename, id }: ReturnType<typeof thing>) =>
      `{ __typename: "${__typename}", id: "${id}" }`;
    const document = (...given: ReturnType<typeof thing>[]) =>
      `{ _entities(representations: [${given.map(literal).join(' ')}]) { __typename } }`;

    expect((await execute(document(thing(1), thing(2)))).errors).toBeUndefined();
    expect((await execute(document(thing(1), owner(2)))).errors?.[0]?.extensions['code']).toBe(
      'COST_EXCEEDED',
    );
  });
});

describe('_service', () => {
  it('gives the schema that the command prints, with keys; it composes', async () => {
    const gateway = await startThings();

    const { data } = await gateway.execute('{ _service { sdl } }');
    const printed = await runCommand(['subgraph'], {
      UPSTREAM_URL: gateway.origin,
      ...CREDENTIALS,
    });

    expect(printed.stdout).toBe(data._service.sdl);
    expect(printed.stderr).toMatch(/^Warning: .*TYPED_ALIASES.*\(Owner, Thing\)\.\n$/);
    const schema = readSubgraph(data._service.sdl);
    const keyed = Object.values(schema.getTypeMap()).filter(
      (type) =>
        isObjectType(type) && type.astNode?.directives?.some(({ name }) => name.value === 'key'),
    );
    expect(keyed.map(({ name }) => name).toSorted()).toEqual([
      'Form',
      'GenericInstance',
      'Owner',
      'Thing',
    ]);
    const names = [
      ...Object.keys(schema.getTypeMap()),
      ...fieldsOf(schema.getQueryType()),
      ...fieldsOf(schema.getMutationType()),
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
      expect.arrayContaining(['things', 'createThing', 'instances', 'startCase', 'PageInfo']),
    );
  });

  it('does not show the schema where introspection does not', async () => {
    const { execute } = await startGateway({ ...FEDERATION, PLAYGROUND: 'off' });

    const { errors } = await execute('{ _service { sdl } }');

    expect(errors?.[0]?.extensions['code']).toBe('FORBIDDEN');
  });

  it('gives no schema before the definitions of the forms are read', async () => {
    const platform = await startFormPlatform([]);
    platform.fail(/forms/);
    const { execute } = await startGateway({ ...platform.env, ...FEDERATION });

    const { errors } = await execute('{ _service { sdl } }');

    expect(errors?.[0]?.extensions['code']).toBe('UPSTREAM_UNAVAILABLE');
  });
});

describe('a gateway with FEDERATION=on', () => {
  it('adds the two fields of a subgraph, and leaves the rest of the graph unchanged', async () => {
    const [without, federated] = await Promise.all(
      [{}, { FEDERATION: 'on' }].map((env) => startGateway({ TYPED_FORMS: '*', ...env })),
    );
    const sdlOf = async (url = '') =>
      parse(await (await fetch(`${url}/schema.graphql`)).text(), { noLocation: true });
    const namesOf = async (url?: string) =>
      (await sdlOf(url)).definitions.map((node) => ('name' in node ? node.name?.value : node.kind));

    const names = await namesOf(without?.url);

    const added = (await namesOf(federated?.url)).filter((name) => !names.includes(name));
    expect(added).toEqual(['_Any', '_Entity', '_Service']);
    expect((await without?.execute('{ _service { sdl } }'))?.status).toBe(400);
    expect((await federated?.execute('{ viewer { name } }'))?.errors).toBeUndefined();
  });

  it('measures no fields when a router requests it, and sends nothing to Apollo', async () => {
    vi.stubEnv('APOLLO_KEY', 'service:caseway:key');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { url, lines } = await startGateway({ ...FEDERATION, LOG_LEVEL: 'info' });

    const headers = { 'apollo-federation-include-trace': 'ftv1' };
    const answer = await postGraphql(url, '{"query":"{ forms { totalCount } }"}', headers);

    expect(answer).toEqual({ status: 200, data: { forms: { totalCount: 4 } } });
    expect(lines.join('\n')).not.toContain('Apollo');
  });

  it('leaves a field out whose name an extension has, with a warning in the log and on the status page', async () => {
    const own = `export default {
      typeDefs: 'extend type Query { _service: Int }',
      resolvers: { Query: { _service: () => 1 } },
    };`;
    const env = {
      ...FEDERATION,
      EXTENSIONS: writeFolder({ 'own.js': own }),
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
    };
    const { url, metricsUrl, execute, logged } = await startGateway(env);

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
    const folder = writeFolder({ 'aliases.json': JSON.stringify({ thing: { name: 'Item' } }) });

    const { logged } = await startThings({
      LOG_LEVEL: 'warn',
      TYPED_ALIASES: `${folder}/aliases.json`,
    });

    expect(logged().filter(({ types }) => types)).toMatchObject([
      { level: 40, types: ['Owner'], count: 1 },
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

const fieldsOf = (type: { getFields(): object } | null | undefined) =>
  Object.keys(type?.getFields() ?? {});
