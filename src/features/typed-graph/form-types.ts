import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql';
import { UpstreamError } from '../../core/errors.ts';
import { type CostRule, contentCost, recordCalls } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { costOfLists, readsList, readsOne } from '../../graphql/entity-fields.ts';
import { createListKeys, loadConnection } from '../../graphql/relay.ts';
import { withContent } from '../../graphql/resources/instances.ts';
import { type RootMeaning, withCost } from '../../graphql/schema-metadata.ts';
import { decodeReference, decodeReferences, unreadableValue } from '../../upstream/decoders.ts';
import { fieldValue } from '../../upstream/field-value.ts';
import type { InstanceContent, InstanceRecord } from '../../upstream/records.ts';
import { INSTANCES } from '../../upstream/resources/instances.ts';
import { type FieldTypes, readValue, readValues, type TypeOf } from './field-types.ts';
import { type GenericTypes, type RootField, withTypes } from './generic-types.ts';
import { uncapitalize } from './names.ts';
import { createFilters, createSearch, type Search } from './search.ts';
import {
  type BackReference,
  type Choices,
  describeForm,
  findBackReferences,
  type TypedField,
  type TypedForm,
} from './typed-form.ts';

/** Creates the types of all forms. They may refer to each other in cycles. */
export function createFormTypes(
  forms: readonly TypedForm[],
  genericTypes: GenericTypes,
): readonly FormTypes[] {
  const filterOf = createFilters(genericTypes);
  const backReferences = findBackReferences(
    forms,
    genericTypes.dialect,
    new Set(Object.keys(genericTypes.instanceFields)),
  );
  const made = new Map<string, FormTypes>();
  const typesOf = (formId: string) => made.get(formId);
  const searchOf = (formId: string) => typesOf(formId)?.search;

  for (const form of forms) {
    const typeOf = createTypeOf(form, genericTypes.types);
    const parts = {
      genericTypes,
      typeOf,
      typesOf,
      backReferences: backReferences.get(form.formId) ?? [],
    };
    const instance = createInstanceType(form, parts);
    const connection = createConnectionType(form, instance, genericTypes);
    made.set(form.formId, {
      form,
      instance,
      connection,
      typeOf,
      search: createSearch(form, { genericTypes, filterOf, typeOf, searchOf }),
    });
  }
  return [...made.values()];
}

/**
 * Returns a function that returns the type of a field's values. Inputs and outputs have the same
 * types, except for references.
 */
function createTypeOf(form: TypedForm, types: FieldTypes): TypeOf {
  const enums = new Map(
    form.fields.flatMap(({ name, shape, record }) => {
      const enumName = form.names.enums.get(name)?.type;
      if (shape.kind !== 'choice' || enumName === undefined) return [];
      const description = `The values of ${record.label ?? record.name} of ${form.title}, each with the platform’s own.`;
      return [[name, createChoiceType(shape.choices, { name: enumName, description })] as const];
    }),
  );
  return ({ name, shape, isList }) => {
    const type = enums.get(name) ?? types[shape.kind].type;
    return isList ? new GraphQLList(new GraphQLNonNull(type)) : type;
  };
}

/**
 * Creates the enum of a field's choices. The description of each value contains the platform's
 * value.
 */
function createChoiceType(
  choices: Choices,
  { name, description }: { readonly name: string; readonly description: string },
) {
  const values = [...choices.values()].map(({ name: valueName, value, label }) => {
    const text = JSON.stringify(value);
    return [
      valueName,
      { value, description: label === undefined ? text : `${label}: ${text}` },
    ] as const;
  });
  return new GraphQLEnumType({ name, description, values: Object.fromEntries(values) });
}

type FieldConfig = GraphQLFieldConfig<InstanceRecord, OperationContext>;

/** The types of one form. */
export interface FormTypes {
  readonly form: TypedForm;
  readonly instance: GraphQLObjectType;
  readonly connection: GraphQLObjectType;
  readonly search: Search;
  readonly typeOf: TypeOf;
}

interface InstanceParts {
  readonly genericTypes: GenericTypes;
  readonly typeOf: TypeOf;
  /** Returns the types of a form by its id. Call it only after all types have been created. */
  readonly typesOf: (formId: string) => FormTypes | undefined;
  readonly backReferences: readonly BackReference[];
}

/**
 * Creates the type of a form's instances: the fields of every instance, the form's own fields, and
 * back references.
 */
function createInstanceType(form: TypedForm, parts: InstanceParts): GraphQLObjectType {
  const { genericTypes, backReferences } = parts;
  const { formId, title, names, isPinned } = form;
  return new GraphQLObjectType<InstanceRecord, OperationContext>({
    name: names.type,
    description: describeForm(form),
    interfaces: [...genericTypes.interfaces],
    extensions: { form: { formId, title, many: names.many, isPinned } },
    fields: (): GraphQLFieldConfigMap<InstanceRecord, OperationContext> => ({
      ...genericTypes.instanceFields,
      ...withReferenceType(form, parts),
      ...Object.fromEntries(form.fields.map((field) => [field.name, createField(field, parts)])),
      ...Object.fromEntries(backReferences.flatMap((back) => createBackReference(back, parts))),
    }),
  });
}

/**
 * Returns the field `reference` with a more specific type, if all references of a form have the
 * same target. Code generators write a selection on an interface once for each type that implements
 * it. With the specific type, they do not write nested selections for each pair of types.
 */
function withReferenceType({ fields }: TypedForm, { genericTypes, typesOf }: InstanceParts) {
  const { reference } = genericTypes.instanceFields;
  const targets = new Set(
    fields.flatMap(({ shape }) =>
      shape.kind === 'reference'
        ? (typesOf(shape.formId)?.instance ?? genericTypes.genericInstance)
        : [],
    ),
  );
  const [type = genericTypes.genericInstance] = targets;
  return reference && targets.size < 2 ? { reference: { ...reference, type } } : {};
}

/**
 * The maximum number of references of one value that are loaded. The cost of a list assumes this
 * number.
 */
const MAX_REFERENCES = 50;

/**
 * Returns the cost of loading references. The records of one list belong to one form, and so do
 * their targets.
 */
const costOfReferences =
  (perValue: number): CostRule =>
  (place, args, dialect) => {
    const { objects, records } = place;
    const targets = {
      ...place,
      objects: objects * perValue,
      records: records * perValue,
      forms: 1,
    };
    return {
      own: recordCalls(INSTANCES, targets, dialect),
      ...contentCost(INSTANCES)(place, args, dialect),
      children: { ...targets, isFresh: false },
    };
  };

// Created once, since large platforms have tens of thousands of fields.
const COST_OF_CONTENT = withCost(contentCost(INSTANCES));
const COST_OF_NEVER_NULL = withCost(contentCost(INSTANCES), { isNeverNull: true });
const COST_OF_REFERENCE = withCost(costOfReferences(1));
const COST_OF_REFERENCES = withCost(costOfReferences(MAX_REFERENCES), { isNeverNull: true });

function createField(field: TypedField, parts: InstanceParts): FieldConfig {
  const { shape, isList } = field;
  if (shape.kind === 'reference') {
    const create = isList ? createReferences : createReference;
    return create(field, shape.formId, parts);
  }
  const { types, dialect } = parts.genericTypes;
  const { name } = field.record;
  const isKept = dialect.form.isRequiredKept && field.record.required === true;
  const read = isList ? readValues : readValue;
  const readContent = (content: InstanceContent) => {
    const value = read(types, field, fieldValue(content, name, dialect));
    if (isKept && value === undefined) throw unreadableValue(name, EMPTY);
    return value;
  };
  return {
    type: parts.typeOf(field),
    description: field.description,
    resolve: (instance, _args, context) => withContent(instance, context, readContent),
    ...(isKept || isList ? COST_OF_NEVER_NULL : COST_OF_CONTENT),
  };
}

const EMPTY = 'is required and empty: set form.isRequiredKept of the dialect to false';

const BATCHED = 'All references of one operation to one form are batched into one list call.';

function createReference(
  field: TypedField,
  formId: string,
  { genericTypes, typesOf }: InstanceParts,
): FieldConfig {
  const { name } = field.record;
  const { dialect } = genericTypes;
  const loadTarget = (content: InstanceContent, { loaders }: OperationContext) => {
    const instanceId = decodeReference(fieldValue(content, name, dialect), name, dialect);
    return instanceId === undefined
      ? undefined
      : loaders.of(INSTANCES, formId).byId.load(instanceId);
  };
  return {
    type: typesOf(formId)?.instance ?? genericTypes.instance,
    description: `${field.description} \`null\` when it is empty or the target no longer exists. ${BATCHED}`,
    resolve: (instance, _args, context) => withContent(instance, context, loadTarget),
    ...COST_OF_REFERENCE,
  };
}

/** Creates a field with several references. */
function createReferences(
  field: TypedField,
  formId: string,
  { genericTypes, typesOf }: InstanceParts,
): FieldConfig {
  const { name } = field.record;
  const { dialect } = genericTypes;
  const loadTargets = async (content: InstanceContent, { loaders }: OperationContext) => {
    const ids = decodeReferences(fieldValue(content, name, dialect), name, dialect);
    if (ids.length > MAX_REFERENCES) throw tooManyReferences(name, ids.length);
    const { byId } = loaders.of(INSTANCES, formId);
    const targets = await Promise.all(ids.map((id) => byId.load(id)));
    return targets.filter((target) => target !== undefined);
  };
  return {
    type: new GraphQLList(new GraphQLNonNull(typesOf(formId)?.instance ?? genericTypes.instance)),
    description: `${field.description} Targets that no longer exist are left out. ${BATCHED}`,
    resolve: (instance, _args, context) => withContent(instance, context, loadTargets),
    ...COST_OF_REFERENCES,
  };
}

const tooManyReferences = (field: string, count: number) =>
  new UpstreamError('too-large', {
    operation: 'getFormIntance',
    advice:
      `The field ${JSON.stringify(field)} holds ${count} references, and at most ${MAX_REFERENCES} ` +
      'are loaded; `value` has their ids.',
  });

function createBackReference({ name, form, field }: BackReference, { typesOf }: InstanceParts) {
  const types = typesOf(form.formId);
  if (types === undefined) return [];
  const { connection, search } = types;
  const label = field.record.label ?? field.record.name;
  const readKey = createListKeys(search.toGeneric);
  const config: FieldConfig = {
    type: connection,
    description: `The instances of ${form.title} with this instance as ${label}. One upstream call per instance.`,
    args: search.args,
    resolve({ instanceId }, given, context) {
      const { where, ...rest } = readKey(given);
      const ofSource = { field: field.record.name, operator: 'EQ' as const, values: [instanceId] };
      const { lists } = context.loaders.of(INSTANCES, form.formId);
      return loadConnection(lists, { where: [ofSource, ...where], ...rest }, context);
    },
    ...withCost(costOfLists(INSTANCES.list, readKey), { isNeverNull: true }),
  };
  return [[name, config] as const];
}

/** Creates the Relay connection of a form's instances. */
function createConnectionType(
  { names, title }: TypedForm,
  instance: GraphQLObjectType,
  { edgeFields, connectionFields }: GenericTypes,
) {
  const edge = new GraphQLObjectType({
    name: names.edge,
    description: `An instance of ${title} and its position in a list (Relay).`,
    fields: withTypes(edgeFields, { Instance: instance }),
  });
  return new GraphQLObjectType({
    name: names.connection,
    description: `One page of instances of ${title} (Relay).`,
    fields: withTypes(connectionFields, { Instance: instance, InstanceEdge: edge }),
  });
}

/** Creates the `Query` fields of a form: one instance by its id, and a list. */
export function createQueries(
  { form, instance, connection, search }: FormTypes,
  { one, many }: GenericTypes,
): readonly RootField[] {
  const { formId, names, title } = form;
  const describe = (description: string) => `${title}: ${uncapitalize(description)}`;
  return [
    [
      names.one,
      {
        ...one,
        type: instance,
        description: describe(one.description),
        ...toField(readsOne(INSTANCES, { formId })),
      },
    ],
    [
      names.many,
      {
        type: connection,
        description: describe(many.description),
        args: search.args,
        ...toField(readsList(INSTANCES, { formId }, search.toGeneric)),
      },
    ],
  ];
}

const toField = <R>({
  resolve,
  meaning,
}: {
  readonly resolve: R;
  readonly meaning: RootMeaning;
}) => ({
  resolve,
  ...withCost(meaning.cost, meaning),
});
