import type { FormRow, InstanceRow, Page, Reader } from './reader.ts';

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
  readonly input: Args & { readonly process: string; readonly values: unknown; readonly parameters: unknown };
}

const instanceOf = ({ formId, instanceId }: Args, reader: Reader) => reader.instance(formId, instanceId);
const at = ({ formId, instanceId }: Args) => `/forms/${formId}/instances/${instanceId}`;

/** The resolvers that anyone would write for our graph: each field asks for what it needs. The context is the reader. */
export const resolvers = {
  Node: { __resolveType: (row: object) => ('idInstance' in row ? 'GenericInstance' : 'Form') },
  Instance: { __resolveType: () => 'GenericInstance' },
  Query: {
    form: (_root: unknown, { formId }: Args, reader: Reader) => reader.form(formId),
    forms: (_root: unknown, args: Args, reader: Reader) => connect(args, (page) => reader.forms(page)),
    instance: (_root: unknown, args: Args, reader: Reader) => instanceOf(args, reader),
    instances: (_root: unknown, args: Args, reader: Reader) =>
      connect(args, (page) => reader.instances(args.formId, page)),
    rule: (_root: unknown, { component, version }: Args, reader: Reader) => reader.rule(component, version),
    node(_root: unknown, { id }: Args, reader: Reader) {
      const [type, formId, instanceId] = JSON.parse(Buffer.from(id, 'base64url').toString());
      return type === 'Form' ? reader.form(formId) : reader.instance(formId, instanceId);
    },
  },
  Form: {
    formId: ({ idForm }: FormRow) => idForm,
    instances: ({ idForm }: FormRow, args: Args, reader: Reader) =>
      connect(args, (page) => reader.instances(idForm, page)),
    instance: ({ idForm }: FormRow, { instanceId }: Args, reader: Reader) => reader.instance(idForm, instanceId),
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
      const row = await reader.change('POST', `/forms/${input.formId}/instances`, { values: input.values });
      return { instance: { ...(row as InstanceRow), idForm: input.formId } };
    },
    async updateInstance(_root: unknown, { input }: Input, reader: Reader) {
      await reader.change('PATCH', at(input), { values: input.values });
      return { instance: () => instanceOf(input, reader) };
    },
    async deleteInstance(_root: unknown, { input }: Input, reader: Reader) {
      await reader.change('DELETE', at(input));
      const { formId, instanceId } = input;
      return { deletedId: Buffer.from(JSON.stringify(['Instance', formId, instanceId])).toString('base64url') };
    },
    async startCase(_root: unknown, { input }: Input, reader: Reader) {
      const record = await reader.change('POST', '/cases', { idProcess: input.process, values: input.values });
      return { case: { caseId: (record as { readonly idCase: number }).idCase, record } };
    },
    async executeRule(_root: unknown, { input }: Input, reader: Reader) {
      const path = `/rules/${input.component}-${input.version}/execute`;
      return { outputs: await reader.change('PUT', path, input.parameters) };
    },
  },
};

type ReadPage<T> = (page: { readonly number: number; readonly size: number }) => Promise<Page<T>>;

/** Reads the pages of `first` that hold what is asked for: one, or two where it starts within a page. */
async function connect<T>({ first = 20, after }: Args, read: ReadPage<T>) {
  const offset = after === undefined ? 0 : Number(Buffer.from(after, 'base64url').toString().slice(3)) + 1;
  const number = Math.floor(offset / first) + 1;
  const skipped = offset - (number - 1) * first;
  const numbers = skipped === 0 ? [number] : [number, number + 1];
  const pages = await Promise.all(numbers.map((each) => read({ number: each, size: first })));
  const nodes = pages.flatMap(({ items }) => items).slice(skipped, skipped + first);
  return { nodes, totalCount: pages[0]?.total };
}
