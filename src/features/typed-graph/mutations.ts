import {
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql';
import { UpstreamError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { toFormId, toInstanceId } from '../../graphql/relay.ts';
import { type ChangeMeaning, type GivenIds, toExtensions } from '../../graphql/schema-metadata.ts';
import { checkInt64 } from '../../upstream/path.ts';
import type { RuleKey } from '../../upstream/records.ts';
import { type FieldTypes, writeValue } from './field-types.ts';
import type { FormTypes } from './form-types.ts';
import {
  type GenericChange,
  type GenericTypes,
  type RootField,
  withTypes,
} from './generic-types.ts';
import { createValues } from './inputs.ts';
import { CHANGES, type ChangeNames, type ChangeWord, uncapitalize } from './names.ts';
import type { TypedForm } from './typed-form.ts';

/**
 * Creates the `Mutation` fields of a form, which create, replace, update and delete its instances.
 */
export function createMutations(
  { form, instance, typeOf }: FormTypes,
  genericTypes: GenericTypes,
): readonly RootField[] {
  const { formId, title } = form;
  const formValues = createValues(form.fields, genericTypes.types, typeOf);
  const fieldNames = new Map(form.fields.map(({ name, record }) => [record.name, name]));

  return CHANGES.map((word) => {
    const generic = genericTypes.changes[word];
    const names = form.names.changes[word];
    const valuesType = formValues.inputOf({
      name: names.values,
      description: `Values of ${title}. ${OF_VALUES[word]}`,
      isWhole: word === 'create',
    });
    return createChange(generic, {
      names,
      description: `${title}: ${uncapitalize(generic.description)}`,
      input: withValues(generic.input, valuesType),
      payload: withTypes(generic.payload, { Instance: instance }),
      fieldNames,
      ids: { formId },
      toGeneric: ({ values: given, ...rest }) => ({
        ...rest,
        formId,
        ...('values' in generic.input && { values: formValues.write(given, 'values') }),
      }),
    });
  });
}

/** How values are treated by each mutation, for the descriptions. */
const OF_VALUES: Readonly<Record<ChangeWord, string>> = {
  create: 'Required values must be given.',
  replace: 'Optional values that are not named are cleared, if the platform follows its interface.',
  update: 'Values that are not named are kept; `null` clears a field that is not required.',
  delete: '',
};

/** Returns the generic input with the form's fields as values, and without the form's id. */
function withValues(
  { formId: _, values, ...rest }: GraphQLInputFieldConfigMap,
  type: GraphQLInputObjectType | undefined,
): GraphQLInputFieldConfigMap {
  if (values === undefined || type === undefined) return rest;
  return {
    ...rest,
    values: { ...values, description: 'The values by field.', type: new GraphQLNonNull(type) },
  };
}

interface TypedChange {
  readonly names: Omit<ChangeNames, 'values'>;
  readonly description: string;
  readonly input: GraphQLInputFieldConfigMap;
  readonly payload: GraphQLFieldConfigMap<unknown, OperationContext>;
  /** The graph's names of the fields, by the platform's names. */
  readonly fieldNames?: ReadonlyMap<string, string>;
  /** The ids that are fixed for this mutation. */
  readonly ids: { readonly formId: string } | RuleKey;
  /**
   * Converts the input to the input of the generic mutation.
   *
   * @throws {GraphQLError} for invalid values.
   */
  readonly toGeneric: ChangeMeaning['toGeneric'];
}

/**
 * Creates a mutation that runs a generic one. The generic mutation alone defines the effect, the
 * idempotency and the cost.
 */
export function createChange(generic: GenericChange, change: TypedChange): RootField {
  const { names, description, input, payload, fieldNames, ids, toGeneric } = change;
  const { change: ofGeneric, demand } = generic.meaning;
  const meaning = ofGeneric && {
    ...ofGeneric,
    ...ids,
    toGeneric,
    ...(fieldNames && { fieldNames }),
  };
  const inputType = new GraphQLInputObjectType({
    name: names.input,
    description: `Input of \`${names.field}\`.`,
    fields: input,
  });
  const payloadType = new GraphQLObjectType({
    name: names.payload,
    description: `Payload of \`${names.field}\`.`,
    fields: payload,
  });
  return [
    names.field,
    {
      type: payloadType,
      description,
      args: {
        input: { type: new GraphQLNonNull(inputType), description: 'The input of the mutation.' },
      },
      async resolve(_root, { input: given }, context) {
        try {
          return await generic.run(toGeneric(given), context);
        } catch (error) {
          throw error instanceof UpstreamError && fieldNames
            ? error.withFieldNames(fieldNames)
            : error;
        }
      },
      extensions: toExtensions({
        ...generic.meaning,
        ...(demand && { demand: () => demand(ids as GivenIds) }),
        ...(meaning && { change: meaning }),
      }),
    },
  ];
}

/** Lets the generic mutations accept global ids as references, for forms with known fields. */
export function acceptGlobalIds(
  mutations: GraphQLFieldConfigMap<unknown, OperationContext>,
  forms: readonly TypedForm[],
  types: FieldTypes,
): readonly RootField[] {
  const byId = new Map(forms.map((form) => [form.formId, form]));
  /**
   * Converts global ids to the platform's ids.
   *
   * @throws {InputError} for a global id that is not an instance of the referenced form.
   */
  const toGeneric: ChangeMeaning['toGeneric'] = ({ formId, values: given, ...rest }) => {
    const values: Record<string, Json> = { ...(given as JsonObject) };
    for (const { record, shape } of byId.get(toFormId(String(formId)))?.fields ?? []) {
      const held = values[record.name];
      if (shape.kind !== 'reference' || held === undefined) continue;
      const toPlatform = (id: Json): Json => {
        const instanceId = typeof id === 'string' ? toInstanceId(shape.formId, id) : id;
        return instanceId === id
          ? id
          : writeValue(types, shape, checkInt64(record.name, String(instanceId)));
      };
      values[record.name] = Array.isArray(held) ? held.map(toPlatform) : toPlatform(held);
    }
    return { ...rest, formId, values };
  };
  return ['createInstance', 'replaceInstance', 'updateInstance'].flatMap((name): RootField[] => {
    const field = mutations[name];
    const change = field?.extensions?.change;
    if (!field?.resolve || !change) return [];
    const { resolve } = field;
    const accepting: typeof resolve = (root, { input }, context, info) =>
      resolve(root, { input: toGeneric(input) }, context, info);
    const extensions = toExtensions({ ...field.extensions, change: { ...change, toGeneric } });
    return [[name, { ...field, resolve: accepting, extensions }]];
  });
}
