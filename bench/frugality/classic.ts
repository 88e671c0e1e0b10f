import { makeExecutableSchema } from '@graphql-tools/schema';
import DataLoader from 'dataloader';
import { graphql, printSchema } from 'graphql';

import { createSchema } from '../../src/graphql/schema.ts';

/** Executes an operation at a graph. */
export type Execute = (
  query: string,
  variables: Readonly<Record<string, unknown>>,
) => Promise<{ readonly data?: unknown; readonly errors?: readonly unknown[] | undefined }>;

/**
 * Creates two common implementations of Caseway's graph over the platform at `origin`: with plain
 * resolvers, and with a DataLoader for each kind of id.
 */
export async function createClassics(
  origin: string,
): Promise<{ readonly naive: Execute; readonly loaders: Execute }> {
  const schema = makeExecutableSchema({ typeDefs: printSchema(createSchema()), resolvers });
  const reader = await createReader(origin);
  const run = (
    contextValue: object,
    source: string,
    variableValues: Readonly<Record<string, unknown>>,
  ) => graphql({ schema, source, variableValues, contextValue });

  return {
    naive: (query, variables) => run(reader, query, variables),
    loaders: (query, variables) => run(withLoaders(reader), query, variables),
  };
}

interface Args {
  readonly id: string;
  readonly formId: string;
  readonly instanceId: string;
  readonly field: string;
  readonly component: string;
  readonly version: string;
  readonly first?: number;
  readonly after?: string;
}
interface Input {
  readonly input: Args & {
    readonly process: string;
    readonly values: unknown;
    readonly expected?: object;
    readonly parameters: unknown;
  };
}

const instanceOf = ({ formId, instanceId }: Args, reader: Reader) =>
  reader.instance(formId, instanceId);
const at = ({ formId, instanceId }: Args) => `/forms/${formId}/instances/${instanceId}`;

/** Plain resolvers: each field reads its own data. The context is the reader. */
const resolvers = {
  Node: { __resolveType: (row: object) => ('idInstance' in row ? 'GenericInstance' : 'Form') },
  Instance: { __resolveType: () => 'GenericInstance' },
  Query: {
    form: (_root: unknown, { formId }: Args, reader: Reader) => reader.form(formId),
    forms: (_root: unknown, args: Args, reader: Reader) =>
      connect(args, (page) => reader.forms(page)),
    instance: (_root: unknown, args: Args, reader: Reader) => instanceOf(args, reader),
    instances: (_root: unknown, args: Args, reader: Reader) =>
      connect(args, (page) => reader.instances(args.formId, page)),
    rule: (_root: unknown, { component, version }: Args, reader: Reader) =>
      reader.rule(component, version),
    node(_root: unknown, { id }: Args, reader: Reader) {
      const [type, formId, instanceId] = JSON.parse(Buffer.from(id, 'base64url').toString());
      return type === 'Form' ? reader.form(formId) : reader.instance(formId, instanceId);
    },
  },
  Form: {
    formId: ({ idForm }: FormRow) => idForm,
    instances: ({ idForm }: FormRow, args: Args, reader: Reader) =>
      connect(args, (page) => reader.instances(idForm, page)),
    instance: ({ idForm }: FormRow, { instanceId }: Args, reader: Reader) =>
      reader.instance(idForm, instanceId),
  },
  GenericInstance: {
    formId: ({ idForm }: InstanceRow) => idForm,
    instanceId: ({ idInstance }: InstanceRow) => idInstance,
    value: ({ values }: InstanceRow, { field }: Args) => values[field],
    form: ({ idForm }: InstanceRow, _args: Args, reader: Reader) => reader.form(idForm),
    async reference({ idForm, values }: InstanceRow, { field }: Args, reader: Reader) {
      const id = values[field];
      if (id === null || id === undefined) return undefined;
      const form = await reader.form(idForm);
      const target = form?.fields.find(({ name }) => name === field)?.reference;
      return target === undefined ? undefined : reader.instance(target, String(id));
    },
  },
  Mutation: {
    async createInstance(_root: unknown, { input }: Input, reader: Reader) {
      const row = await reader.change('POST', `/forms/${input.formId}/instances`, {
        values: input.values,
      });
      return { instance: { ...(row as InstanceRow), idForm: input.formId } };
    },
    async updateInstance(_root: unknown, { input }: Input, reader: Reader) {
      const row = input.expected && (await instanceOf(input, reader));
      const expected = Object.entries(input.expected ?? {});
      if (expected.some(([field, value]) => row?.values[field] !== value))
        throw new Error('Conflict.');
      await reader.change('PATCH', at(input), { values: input.values });
      return { instance: () => instanceOf(input, reader) };
    },
    async deleteInstance(_root: unknown, { input }: Input, reader: Reader) {
      await reader.change('DELETE', at(input));
      const { formId, instanceId } = input;
      const key = JSON.stringify(['Instance', formId, instanceId]);
      return { deletedId: Buffer.from(key).toString('base64url') };
    },
    async startCase(_root: unknown, { input }: Input, reader: Reader) {
      const record = await reader.change('POST', '/cases', {
        idProcess: input.process,
        values: input.values,
      });
      return { case: { caseId: (record as { readonly idCase: number }).idCase, record } };
    },
    async executeRule(_root: unknown, { input }: Input, reader: Reader) {
      const path = `/rules/${input.component}-${input.version}/execute`;
      return { outputs: await reader.change('PUT', path, input.parameters) };
    },
  },
};

type ReadPage<T> = (page: { readonly number: number; readonly size: number }) => Promise<Page<T>>;

/**
 * Reads the pages of `first` items that cover the range: one page, or two if the range starts
 * within a page.
 */
async function connect<T>({ first = 20, after }: Args, read: ReadPage<T>) {
  const cursor = after && Buffer.from(after, 'base64url').toString();
  const offset = cursor ? Number(cursor.slice('at:'.length)) + 1 : 0;
  const number = Math.floor(offset / first) + 1;
  const skipped = offset - (number - 1) * first;
  const numbers = skipped === 0 ? [number] : [number, number + 1];
  const pages = await Promise.all(numbers.map((each) => read({ number: each, size: first })));
  const nodes = pages.flatMap(({ items }) => items).slice(skipped, skipped + first);
  return { nodes, totalCount: pages[0]?.total };
}

/**
 * Puts a DataLoader before each read by id, as its documentation recommends: created for each
 * operation and cleared after a change. The platform reads one object per call, so a batch makes
 * one call for each id.
 */
function withLoaders(reader: Reader): Reader {
  const form = byId((id: string) => reader.form(id));
  const instance = byId(([idForm, idInstance]: readonly [string, string]) =>
    reader.instance(idForm, idInstance),
  );
  const rule = byId(([component, version]: readonly [string, string]) =>
    reader.rule(component, version),
  );

  return {
    ...reader,
    form: (idForm) => form.load(idForm),
    instance: (idForm, idInstance) => instance.load([idForm, idInstance]),
    rule: (component, version) => rule.load([component, version]),
    async change(...change) {
      const answer = await reader.change(...change);
      instance.clearAll();
      return answer;
    },
  };
}

const byId = <K, V>(read: (key: K) => Promise<V>) =>
  new DataLoader<K, V, string>((keys) => Promise.all(keys.map(read)), {
    cacheKeyFn: (key) => JSON.stringify(key),
  });

/** The members of a form that the resolvers read. */
interface FormRow {
  readonly idForm: string;
  readonly fields: readonly { readonly name: string; readonly reference?: string }[];
}

interface InstanceRow {
  readonly idForm: string;
  readonly idInstance: number;
  readonly values: Readonly<Record<string, unknown>>;
}

interface RuleRow {
  readonly descriptiveName: string;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

type Numbered = { readonly number: number; readonly size: number };

/** Access to the platform. Each method makes one call. */
interface Reader {
  form(idForm: string): Promise<FormRow | undefined>;
  instance(idForm: string, idInstance: string): Promise<InstanceRow | undefined>;
  rule(component: string, version: string): Promise<RuleRow | undefined>;
  forms(page: Numbered): Promise<Page<FormRow>>;
  instances(idForm: string, page: Numbered): Promise<Page<InstanceRow>>;
  change(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<unknown>;
}

/**
 * Creates a reader of the platform at `origin`. It signs in once; the table does not count this
 * call.
 */
async function createReader(origin: string): Promise<Reader> {
  const token = await signIn(origin);
  const call = async <T>(path: string, method = 'GET', body?: unknown): Promise<T | undefined> => {
    const response = await fetch(`${origin}/v1.0${path}`, {
      method,
      headers: { authorization: token, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const page = async <T>(path: string, { number, size }: Numbered): Promise<Page<T>> => {
    const found = await call<Page<T>>(`${path}?page-number=${number}&per-page=${size}`);
    return found ?? { items: [], total: 0 };
  };
  const withForm = (idForm: string) => (row: InstanceRow) => ({ ...row, idForm });

  return {
    form: (idForm) => call<FormRow>(`/forms/${idForm}`),
    async instance(idForm, idInstance) {
      const row = await call<InstanceRow>(`/forms/${idForm}/instances/${idInstance}`);
      return row && withForm(idForm)(row);
    },
    rule: (component, version) =>
      call<RuleRow>(`/rules/${component}-${version}/get-parameters`, 'PUT'),
    forms: (numbered) => page('/forms', numbered),
    async instances(idForm, numbered) {
      const { items, total } = await page<InstanceRow>(`/forms/${idForm}/instances`, numbered);
      return { items: items.map(withForm(idForm)), total };
    },
    change: (method, path, body) => call(path, method, body),
  };
}

async function signIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/v1.0/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa('demo:demo')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = (await response.json()) as { readonly access_token: string };
  return `Bearer ${token}`;
}
