import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';

import { toConnection, toListKey } from '../graphql/connections.ts';
import type { OperationContext } from '../graphql/context.ts';
import { content, rows, same, withCost } from '../graphql/cost-rules.ts';
import { valueAt, withContent } from '../graphql/resolvers/instance.ts';
import { decodeReference } from '../upstream/decoders.ts';
import type { InstanceContent, InstanceRecord } from '../upstream/records.ts';
import { type BackReference, findBackReferences } from './back-references.ts';
import type { TypeBasis } from './basis.ts';
import { costOfBackReference, costOfMany, costOfReference } from './costs.ts';
import { createFilters, createSearch, type Search } from './search.ts';
import { describeForm, type TypedField, type TypedForm } from './typed-form.ts';
import { createEnums, type EnumOf, leafTypeOf } from './value-types.ts';

/** Makes the types of forms, which may refer to one another in circles. */
export function createFormTypes(forms: readonly TypedForm[], basis: TypeBasis): readonly FormTypes[] {
  const filters = createFilters(basis);
  const backReferences = findBackReferences(forms);
  const made = new Map<string, FormTypes>();
  const typesOf = (formId: string) => made.get(formId);

  for (const form of forms) {
    const enumOf = createEnums(form);
    const parts = { basis, enumOf, typesOf, backReferences: backReferences.get(form.formId) ?? [] };
    const instance = createInstanceType(form, parts);
    const connection = createConnectionType(form, instance, basis);
    made.set(form.formId, {
      form,
      instance,
      connection,
      enumOf,
      search: createSearch(form, { basis, filters, enumOf }),
    });
  }
  return [...made.values()];
}

type FieldConfig = GraphQLFieldConfig<InstanceRecord, OperationContext>;

/** The types of one form. */
export interface FormTypes {
  readonly form: TypedForm;
  readonly instance: GraphQLObjectType;
  readonly connection: GraphQLObjectType;
  readonly search: Search;
  readonly enumOf: EnumOf;
}

interface InstanceParts {
  readonly basis: TypeBasis;
  readonly enumOf: EnumOf;
  /** The types of a form by its id, once all are made. */
  readonly typesOf: (formId: string) => FormTypes | undefined;
  readonly backReferences: readonly BackReference[];
}

/** Makes the type of a form's instances: what every instance has, the form's fields, and what refers to them. */
export function createInstanceType(form: TypedForm, parts: InstanceParts): GraphQLObjectType {
  const { basis, backReferences } = parts;
  return new GraphQLObjectType<InstanceRecord, OperationContext>({
    name: form.names.type,
    description: describeForm(form),
    interfaces: [...basis.interfaces],
    fields: (): GraphQLFieldConfigMap<InstanceRecord, OperationContext> => ({
      ...basis.instanceFields,
      ...withReferenceType(form, parts),
      ...Object.fromEntries(form.fields.map((field) => [field.name, createField(field, parts)])),
      ...Object.fromEntries(backReferences.flatMap((back) => createBackReference(back, parts))),
    }),
  });
}

/**
 * Code generators write a selection on an interface once for each type that has it. Where all references of a form lead to
 * one type, its generic `reference` has that type, so that a nested one is not written for each pair of types.
 */
function withReferenceType({ fields }: TypedForm, { basis, typesOf }: InstanceParts) {
  const { reference } = basis.instanceFields;
  const targets = new Set(
    fields.flatMap(({ shape }) =>
      shape.kind === 'reference' ? (typesOf(shape.formId)?.instance ?? basis.genericInstance) : [],
    ),
  );
  const [type = basis.genericInstance] = targets;
  return reference && targets.size < 2 ? { reference: { ...reference, type } } : {};
}

// Large platforms have ten thousands of fields.
const COST_OF_CONTENT = withCost(content);
const COST_OF_REFERENCE = withCost(costOfReference);

function createField(field: TypedField, parts: InstanceParts): FieldConfig {
  const { shape } = field;
  if (shape.kind === 'reference') return createReference(field, shape.formId, parts);
  const read = parts.basis.readValueOf(shape);
  const { name } = field.record;
  const readContent = ({ values }: InstanceContent) => read(valueAt(values, name));
  return {
    type: leafTypeOf(field, shape.kind, parts),
    description: field.description,
    resolve: (instance, _args, context) => withContent(instance, context, readContent),
    ...COST_OF_CONTENT,
  };
}

function createReference(field: TypedField, formId: string, { basis, typesOf }: InstanceParts): FieldConfig {
  const { name } = field.record;
  const loadTarget = ({ values }: InstanceContent, { loaders }: OperationContext) => {
    const instanceId = decodeReference(valueAt(values, name), basis.dialect);
    return instanceId === undefined ? undefined : loaders.instanceById(formId).load(instanceId);
  };
  return {
    type: typesOf(formId)?.instance ?? basis.instance,
    description: `${field.description} \`null\` when it is empty, or what it points to is gone. References of one operation into one form are one list call together.`,
    resolve: (instance, _args, context) => withContent(instance, context, loadTarget),
    ...COST_OF_REFERENCE,
  };
}

function createBackReference({ name, form, field }: BackReference, { typesOf }: InstanceParts) {
  const types = typesOf(form.formId);
  if (types === undefined) return [];
  const label = field.record.label ?? field.record.name;
  const description = `The instances of ${form.title} whose ${label} this is. One upstream call for each.`;
  return [[name, createList(types, { description, field: field.record.name })] as const];
}

interface ListOptions {
  readonly description: string;
  /** The platform's field that must refer to the instance that the list is asked of; absent for all instances. */
  readonly field?: string;
}

/** Makes a field that lists a form's instances: `null` only with an error beside it. */
export function createList({ form, connection, search }: FormTypes, { description, field }: ListOptions) {
  const { formId } = form;
  const { args, toGeneric } = search;
  const rule = field === undefined ? costOfMany(formId, toGeneric) : costOfBackReference(toGeneric);
  const ofSource = (source: InstanceRecord | undefined) =>
    field === undefined || source === undefined
      ? []
      : [{ field, operator: 'EQ' as const, values: [source.instanceId] }];

  const config: GraphQLFieldConfig<InstanceRecord | undefined, OperationContext> = {
    type: connection,
    description,
    args,
    async resolve(source, given, { loaders, pages }) {
      const { where, ...rest } = toListKey(toGeneric(given), pages);
      const key = { where: [...ofSource(source), ...where], ...rest };
      return toConnection(key, await loaders.instances(formId).load(key));
    },
    ...withCost(rule),
  };
  return config as GraphQLFieldConfig<InstanceRecord, OperationContext>;
}

/** Makes the Relay connection of a form's instances. */
export function createConnectionType({ names, title }: TypedForm, node: GraphQLObjectType, { pageInfo }: TypeBasis) {
  const edge = new GraphQLObjectType({
    name: names.edge,
    description: `An instance of ${title} and its place in a list (Relay).`,
    fields: {
      cursor: {
        type: new GraphQLNonNull(GraphQLString),
        description:
          'This place in the list, to give as `after`. It counts positions: rows added before it move what follows.',
      },
      node: { type: new GraphQLNonNull(node), description: 'The instance.', ...withCost(same) },
    },
  });
  return new GraphQLObjectType({
    name: names.connection,
    description: `One page of instances of ${title} (Relay).`,
    fields: {
      edges: { type: listOf(edge), description: 'The page’s instances, each with its cursor.', ...withCost(rows) },
      nodes: { type: listOf(node), description: 'The page’s instances.', ...withCost(rows) },
      pageInfo: { type: new GraphQLNonNull(pageInfo), description: 'Where this page stands within the whole.' },
      totalCount: {
        type: GraphQLInt,
        description: 'How many instances there are on all pages, or `null` when the platform does not tell.',
      },
    },
  });
}

const listOf = (type: GraphQLObjectType) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
