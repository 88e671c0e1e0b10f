import { GraphQLError, type GraphQLFieldExtensions, Kind, type ValueNode } from 'graphql';

import { orUndefined } from '../../core/errors.ts';
import type { SelectedOperation, Selection, Variables } from '../../graphql/admission/selections.ts';
import { parseNodeId, toFormId } from '../../graphql/relay.ts';
import { memberAt } from './file.ts';
import type { Act, Subject } from './role.ts';

/** What a field at the root of an operation asks a role for. */
type Demand = readonly [act: Act, subject: Subject];

/** A field at the root, and its demand for variables that are not coerced yet; `undefined` where it has none. */
export interface RootField {
  readonly selection: Selection;
  /** @throws {Error} where it depends on variables and these are not known. */
  readonly demandOf: (given: Variables | undefined) => Demand | undefined;
}

const SCHEMA: Demand = ['schema', {}];

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
  forms: () => ['getForms', {}],
  form: (read) => ['getForm', { formId: formIdOf(read('formId')) }],
  node(read) {
    const [type, formId] = orUndefined(() => parseNodeId(textOf(read('id')))) ?? [];
    // What is no id leads nowhere.
    return type && [type === 'Form' ? 'getForm' : 'getFormIntance', { formId }];
  },
  rule: (read) => ['getParameters', ruleOf(read('component'), read('version'))],
  executeRule: (read) => ['execute', ruleOf(read('input', 'component'), read('input', 'version'))],
  startCase: (read) => ['startCase', { process: textOf(read('input', 'process')) }],
  executeActivity: () => ['executeCurrentActivity', {}],
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
  const defaultOf = new Map(
    definition.variableDefinitions?.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  /** Reads one value inside a literal or a variable, and looks at no other. */
  const readAt = (node: ValueNode | undefined, path: readonly string[], given: Variables | undefined): unknown => {
    if (node?.kind === Kind.VARIABLE) return readVariable(node.name.value, path, given);
    const [member, ...rest] = path;
    if (node?.kind !== Kind.OBJECT) return member === undefined && node && 'value' in node ? node.value : undefined;
    return readAt(node.fields.find(({ name }) => name.value === member)?.value, rest, given);
  };
  const readVariable = (name: string, path: readonly string[], given: Variables | undefined): unknown => {
    if (given === undefined) throw new Error(`The value of $${name} is not known.`);
    return Object.hasOwn(given, name) ? memberAt(given[name], path) : readAt(defaultOf.get(name), path, given);
  };
  const fields = rootType.getFields();
  return selections.flatMap(withNeeds).map(({ selection, asked }) => {
    const { name, arguments: given = [] } = asked.node;
    // Not that of an interface around it, of which nobody knows what it does.
    const meaning = fields[name.value]?.extensions ?? {};
    const args = new Map(given.map((argument) => [argument.name.value, argument.value]));
    return {
      selection,
      demandOf: (variables) =>
        demandOf(name.value, meaning, (first, ...path) => readAt(args.get(first), path, variables)),
    };
  });
}

/** What a field needs at the root is asked for with it. */
const withNeeds = (selection: Selection) => {
  const all = (one: Selection): readonly Selection[] => [one, ...one.needs.flatMap(all)];
  return all(selection).map((asked) => ({ selection, asked }));
};

type Meaning = Readonly<GraphQLFieldExtensions<unknown, unknown>>;

function demandOf(field: string, { change, read: reads, rule, isOwn }: Meaning, read: ReadValue): Demand | undefined {
  if (change) return [OF_WORD[change.word], { formId: change.formId ?? formIdOf(read('input', 'formId')) }];
  if (reads) return ['getFormIntances', { formId: reads.formId ?? formIdOf(read('formId')) }];
  if (rule) return ['execute', rule];
  const known = Object.hasOwn(DEMANDS, field) && !isOwn ? DEMANDS[field] : undefined;
  return known ? known(read) : ['extension', { field }];
}

export const refusal = ({ node, key }: Selection): GraphQLError =>
  new GraphQLError('Your role does not allow this.', {
    nodes: node,
    path: [key],
    extensions: { code: 'FORBIDDEN', http: { status: 403 } },
  });
