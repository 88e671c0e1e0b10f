import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';

import { pick, type Random } from './random.ts';
import { TOOLS, toolField } from './tools.ts';
import { sampleOf } from './values.ts';

type AnyField = GraphQLField<unknown, unknown>;

/** A field on the way from the root, or the type that an interface or union is narrowed to. */
type Step = { readonly field: AnyField } | { readonly type: string };

/** A field of the graph, and the place in its arguments for the value. */
export interface Target {
  /** `undefined` for a tool, which has no document. */
  readonly root: OperationTypeNode | undefined;
  /** The steps to the object that the field is selected on. */
  readonly steps: readonly Step[];
  readonly parent: GraphQLNamedType;
  readonly field: AnyField;
  /** The argument, then fields of input objects. Empty if the field has no arguments. */
  readonly slot: readonly string[];
}

const ROOTS = [OperationTypeNode.QUERY, OperationTypeNode.MUTATION, OperationTypeNode.SUBSCRIPTION];
/** Stands for the root in a target that is a tool of MCP. */
export const TOOL = 'Tool';
const TOOLS_SHARE = 0.1;
/** Most targets are below a query. */
const DRAWN_ROOTS = [
  ...ROOTS,
  OperationTypeNode.QUERY,
  OperationTypeNode.QUERY,
  OperationTypeNode.MUTATION,
];
const MAX_STEPS = 6;

function fieldsOf(type: GraphQLNamedType, schema: GraphQLSchema): readonly AnyField[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const fields = Object.values(type.getFields());
  return type === schema.getQueryType()
    ? [...fields, SchemaMetaFieldDef, TypeMetaFieldDef]
    : fields;
}

/**
 * Draws a target: fields from a root, and a place in the arguments of the last one. It is written
 * as `Query/employees/nodes/value(field)`.
 */
export function drawTarget(schema: GraphQLSchema, random: Random): string {
  if (random() < TOOLS_SHARE) {
    const tool = toolField(pick(Object.keys(TOOLS), random), schema);
    return `${TOOL}/${tool?.name}${tool && drawSlot(tool, random)}`;
  }
  const root = schema.getRootType(pick(DRAWN_ROOTS, random)) ?? schema.getQueryType();
  let type: GraphQLNamedType | null | undefined = root;
  const names = [type?.name ?? 'Query'];
  for (;;) {
    if (isAbstractType(type)) {
      type = pick(schema.getPossibleTypes(type), random);
      names.push(type.name);
    }
    const field: AnyField = pick(fieldsOf(type as GraphQLNamedType, schema), random);
    const next = getNamedType(field.type);
    const isEnd = isLeafType(next) || names.length > MAX_STEPS || random() < 0.4;
    if (isEnd) return [...names, `${field.name}${drawSlot(field, random)}`].join('/');
    names.push(field.name);
    type = next;
  }
}

/**
 * Draws a place in a field's arguments, such as `(where.amount.in)`. Returns an empty text for a
 * field without arguments.
 */
function drawSlot({ args }: AnyField, random: Random): string {
  const slots = args.flatMap(({ name, type }) =>
    slotsOf(type).map((slot) => [name, ...slot].join('.')),
  );
  return slots.length === 0 ? '' : `(${pick(slots, random)})`;
}

/** The most input objects on the way to a place. */
const MAX_SLOT_DEPTH = 4;

function slotsOf(type: GraphQLInputType, depth = 0): readonly (readonly string[])[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || depth === MAX_SLOT_DEPTH) return [[]];
  return Object.values(named.getFields()).flatMap((field) =>
    slotsOf(field.type, depth + 1).map((slot) => [field.name, ...slot]),
  );
}

/** Returns the type of the value at a target's place. `undefined` without a place. */
export function slotTypeOf({ field, slot: [name, ...path] }: Target): GraphQLInputType | undefined {
  let type = field.args.find((argument) => argument.name === name)?.type;
  for (const step of path) {
    const named = getNamedType(type);
    type = isInputObjectType(named) ? named.getFields()[step]?.type : undefined;
  }
  return type && getNamedType(type);
}

/**
 * Reads the text of `drawTarget`.
 *
 * @throws {Error} for a name that the schema does not have.
 */
export function findTarget(text: string, schema: GraphQLSchema): Target {
  const [, path = '', slotText = ''] = /^([^(]*)(?:\((.*)\))?$/.exec(text) ?? [];
  const [rootName = '', ...names] = path.split('/');
  const last = names.pop() ?? '';
  const slot = slotText === '' ? [] : slotText.split('.');
  const tool = rootName === TOOL ? toolField(last, schema) : undefined;
  if (tool) return { root: undefined, steps: [], parent: GraphQLString, field: tool, slot };

  const { steps, parent } = findSteps(rootName, names, schema);
  const root = ROOTS.find((kind) => schema.getRootType(kind)?.name === rootName);
  return { root, steps, parent, field: findField(parent, last, schema), slot };
}

function findSteps(rootName: string, names: readonly string[], schema: GraphQLSchema) {
  const steps: Step[] = [];
  let parent = schema.getType(rootName);
  for (const name of names) {
    const narrowed: GraphQLNamedType | undefined = isAbstractType(parent)
      ? schema.getType(name)
      : undefined;
    const field: AnyField | undefined = narrowed ? undefined : findField(parent, name, schema);
    steps.push(field ? { field } : { type: name });
    parent = narrowed ?? getNamedType(field?.type);
  }
  if (parent === undefined) throw new Error(`There is no type ${rootName}.`);
  return { steps, parent };
}

function findField(
  type: GraphQLNamedType | undefined,
  name: string,
  schema: GraphQLSchema,
): AnyField {
  const field = type && fieldsOf(type, schema).find((one) => one.name === name);
  if (field === undefined) throw new Error(`There is no field ${type}.${name}.`);
  return field;
}

/** Writes selections along the steps around `inside`. */
export function wrap(steps: readonly Step[], rows: number, inside: string): string {
  return steps.reduceRight((text, step) => {
    if ('type' in step) return `... on ${step.type} { ${text} }`;
    return `${step.field.name}${argumentsOf(step.field, rows)} { ${text} }`;
  }, inside);
}

/**
 * Writes a field's required arguments, and `rows` as its page size. `given` are other arguments.
 */
export function argumentsOf(
  { args }: AnyField,
  rows: number,
  given: Readonly<Record<string, string>> = {},
): string {
  const all = args.flatMap(({ name, type, defaultValue }) => {
    const text = given[name];
    if (text !== undefined) return [`${name}: ${text}`];
    if (name === 'first') return [`first: ${rows}`];
    const isRequired = isNonNullType(type) && defaultValue === undefined;
    return isRequired ? [`${name}: ${sampleOf(type, name).literal}`] : [];
  });
  return all.length === 0 ? '' : `(${all.join(' ')})`;
}

/**
 * Returns the shortest steps from a type back to itself without a list, at most three. `undefined`
 * without any.
 */
export function findCycle(
  parent: GraphQLNamedType,
  schema: GraphQLSchema,
): readonly Step[] | undefined {
  let ways: { readonly type: GraphQLNamedType; readonly steps: readonly Step[] }[] = [
    { type: parent, steps: [] },
  ];
  for (let depth = 0; depth < 3; depth++) {
    ways = ways.flatMap(({ type, steps }) =>
      fieldsOf(type, schema)
        .filter(
          (field) => !String(field.type).includes('[') && !isLeafType(getNamedType(field.type)),
        )
        .map((field) => ({ type: getNamedType(field.type), steps: [...steps, { field }] })),
    );
    const found = ways.find(
      ({ type }) =>
        type === parent ||
        (isAbstractType(type) && schema.getPossibleTypes(type).includes(parent as never)),
    );
    if (found) return found.type === parent ? found.steps : [...found.steps, { type: parent.name }];
  }
  return undefined;
}

/** Leaves with long values. */
const TEXTS = ['notes', 'jobTitle', 'sdl'];

/** Writes the selection below a field, or below the rows of a connection: `__typename`, with all leaves or long ones. */
export function selectionOf({ type }: AnyField, selected: string, schema: GraphQLSchema): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (selected === 'one') return '{ __typename }';
  const leavesOf = (parent: GraphQLNamedType): string =>
    fieldsOf(parent, schema)
      .filter((field) => isLeafType(getNamedType(field.type)) && argumentsOf(field, 1) === '')
      .map(({ name }) => name)
      .filter((name) => selected === 'all' || TEXTS.includes(name))
      .join(' ');
  const nodes = fieldsOf(named, schema).find(({ name }) => name === 'nodes');
  if (nodes === undefined) return `{ __typename ${leavesOf(named)} }`;
  return `{ __typename nodes { __typename ${leavesOf(getNamedType(nodes.type))} } }`;
}
