import { GraphQLError, type GraphQLFieldExtensions, Kind, type ValueNode } from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import type { SelectedOperation, Selection, Variables } from '../../graphql/admission/selections.ts';
import { parseNodeId, toFormId } from '../../graphql/relay.ts';
import type { OperationName } from '../../upstream/operations.ts';
import type { Subject } from './role.ts';

/** What a field at the root of an operation asks a role for. */
export type Demand =
  | { readonly is: 'call'; readonly operation: OperationName; readonly subject: Subject }
  | { readonly is: 'schema' }
  | { readonly is: 'extension'; readonly field: string };

/** A field at the root, and its demand for variables that are not coerced yet; `undefined` where it has none. */
export interface RootField {
  readonly selection: Selection;
  /** @throws {Error} where it depends on variables and these are not known. */
  readonly demandOf: (given: Variables | undefined) => Demand | undefined;
}

const call = (operation: OperationName, subject: Subject): Demand => ({ is: 'call', operation, subject });
const SCHEMA: Demand = { is: 'schema' };

const OF_WORD = {
  create: 'createFormIntance',
  replace: 'updateFormIntance',
  update: 'updateValuesOfFormIntance',
  delete: 'deleteFormIntance',
} as const;

/** Reads a value of an argument or of a variable; `undefined` where there is none. */
type ReadValue = (...path: readonly [string, ...string[]]) => unknown;

/** The demands of the generic fields. What is no text is no id of anything. */
const DEMANDS: Readonly<Record<string, (read: ReadValue) => Demand | undefined>> = {
  __typename: () => undefined,
  __schema: () => SCHEMA,
  __type: () => SCHEMA,
  _service: () => SCHEMA,
  // Each entity is looked at by itself, as a reference is.
  _entities: () => undefined,
  viewer: () => undefined,
  signIn: () => undefined,
  signOut: () => undefined,
  forms: () => call('getForms', {}),
  form: (read) => call('getForm', { formId: formIdOf(read('formId')) }),
  node(read) {
    const [type, formId] = orUndefined(() => parseNodeId(textOf(read('id')))) ?? [];
    // What is no id leads nowhere.
    if (type === undefined) return undefined;
    return call(type === 'Form' ? 'getForm' : 'getFormIntance', { formId });
  },
  rule: (read) => call('getParameters', ruleOf(read('component'), read('version'))),
  executeRule: (read) => call('execute', ruleOf(read('input', 'component'), read('input', 'version'))),
  startCase: (read) => call('startCase', { process: textOf(read('input', 'process')) }),
  executeActivity: () => call('executeCurrentActivity', {}),
};

/** As long as a global id may be. Nothing else is checked before, and to look at a long text takes long. */
const MAX_ID_LENGTH = 1_024;
const textOf = (value: unknown): string => {
  const text = typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
  return text.length > MAX_ID_LENGTH ? '' : text;
};
const formIdOf = (value: unknown): string => orUndefined(() => toFormId(textOf(value))) ?? '';
const ruleOf = (component: unknown, version: unknown) => ({ component: textOf(component), version: textOf(version) });

/** Gives the fields at the root of an operation, with what decides whether a role may have them. */
export function rootFieldsOf({ selections, definition, rootType }: SelectedOperation): readonly RootField[] {
  const defaults = (definition.variableDefinitions ?? []).map(
    ({ variable, defaultValue }) => [variable.name.value, defaultValue] as const,
  );
  const defaultOf = new Map(defaults);
  const fields = rootType.getFields();
  return selections.map((selection) => {
    const { node } = selection;
    const { value: field } = node.name;
    // Not that of an interface around it, of which nobody knows what it does.
    const meaning = fields[field]?.extensions ?? {};
    const args = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
    const readerOf =
      (given: Variables | undefined): ReadValue =>
      (name, ...path) =>
        readPath(args.get(name), path, { given, defaultOf });
    return { selection, demandOf: (given) => demandOf(field, meaning, readerOf(given)) };
  });
}

type Meaning = Readonly<GraphQLFieldExtensions<unknown, unknown>>;

function demandOf(field: string, { change, read: reads, rule, isOwn }: Meaning, read: ReadValue): Demand | undefined {
  if (change) {
    return call(OF_WORD[change.word], { formId: change.formId ?? formIdOf(read('input', 'formId')) });
  }
  if (reads) return call('getFormIntances', { formId: reads.formId ?? formIdOf(read('formId')) });
  if (rule) return call('execute', rule);
  const known = Object.hasOwn(DEMANDS, field) && !isOwn ? DEMANDS[field] : undefined;
  return known ? known(read) : { is: 'extension', field };
}

interface Values {
  readonly given: Variables | undefined;
  readonly defaultOf: ReadonlyMap<string, ValueNode | undefined>;
}

/** Reads one value inside a literal or a variable, and looks at no other. */
function readPath(node: ValueNode | undefined, path: readonly string[], values: Values): unknown {
  if (node === undefined) return undefined;
  if (node.kind === Kind.VARIABLE) {
    const { value: name } = node.name;
    if (values.given === undefined) throw new Error(`The value of $${name} is not known.`);
    if (Object.hasOwn(values.given, name)) return membersAt(values.given[name], path);
    return readPath(values.defaultOf.get(name), path, values);
  }
  const [member, ...rest] = path;
  if (member !== undefined) {
    if (node.kind !== Kind.OBJECT) return undefined;
    return readPath(node.fields.find(({ name }) => name.value === member)?.value, rest, values);
  }
  return 'value' in node ? node.value : undefined;
}

function membersAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, member) => {
    const isObject = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, member);
    return isObject ? (inner as Readonly<Record<string, unknown>>)[member] : undefined;
  }, value);
}

export const refusal = ({ node, key }: Selection): GraphQLError =>
  new GraphQLError('Your role does not allow this.', {
    nodes: node,
    path: [key],
    extensions: { code: 'FORBIDDEN', http: { status: 403 } },
  });
