import {
  type GraphQLFieldConfigMap,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql';
import { withFieldNames } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { findNodeKey, toFormId } from '../../graphql/relay.ts';
import { type ChangeMeaning, type GivenIds, toExtensions } from '../../graphql/schema-metadata.ts';
import { readAt } from '../../graphql/violations.ts';
import type { RuleKey } from '../../upstream/records.ts';
import { createExpectedInput, readGenericExpected } from './expected-input.ts';
import { toPlatformId, writeValue } from './field-types.ts';
import type { FormTypes } from './form-types.ts';
import {
  type GenericChange,
  type GenericTypes,
  type RootField,
  withTypes,
} from './generic-types.ts';
import { createValues } from './inputs.ts';
import { CHANGES, type ChangeNames, type ChangeVerb, uncapitalize } from './names.ts';
import type { TypedForm } from './typed-form.ts';

/**
 * Creates the `Mutation` fields of a form, which create, replace, update and delete its instances.
 */
export function createMutations(
  types: FormTypes,
  genericTypes: GenericTypes,
): readonly RootField[] {
  const { form, instance, typeOf } = types;
  const { formId, title } = form;
  const expectedInput = createExpectedInput(types, genericTypes);
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
      input: withTypedValues(generic.input, valuesType, expectedInput?.type),
      payload: withTypes(generic.payload, { Instance: instance }),
      fieldNames,
      ids: { formId },
      toGeneric: ({ values: given, expected, ...rest }) => ({
        ...rest,
        formId,
        ...('values' in generic.input && { values: formValues.write(given, 'values') }),
        ...(expected && { expected: expectedInput?.read(expected) }),
      }),
    });
  });
}

/** How values are treated by each mutation, for the descriptions. */
const OF_VALUES: Readonly<Record<ChangeVerb, string>> = {
  create: 'Required values must be given.',
  replace: 'Optional values that are not named are cleared, if the platform follows its interface.',
  update: 'Values that are not named are kept; `null` clears a field that is not required.',
  delete: '',
};

/** Returns the generic input with values of the form's fields instead of any, and without the form's id. */
function withTypedValues(
  { formId: _, values, expected, ...rest }: GraphQLInputFieldConfigMap,
  type: GraphQLInputObjectType | undefined,
  expectedType: GraphQLInputObjectType | undefined,
): GraphQLInputFieldConfigMap {
  const description = 'The values by field.';
  return {
    ...rest,
    ...(values && type && { values: { ...values, description, type: new GraphQLNonNull(type) } }),
    ...(expected && expectedType && { expected: { ...expected, type: expectedType } }),
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
      async resolve(_root, { input: given }, context, readPayload) {
        try {
          return await generic.run(toGeneric(given), context, readPayload);
        } catch (error) {
          throw fieldNames ? withFieldNames(error, fieldNames) : error;
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

/**
 * Lets the generic mutations take global ids for references, of forms whose fields are known, and
 * compare the values that a client expects as these fields are read.
 */
export function acceptGlobalIds(
  mutations: GraphQLFieldConfigMap<unknown, OperationContext>,
  forms: readonly TypedForm[],
  genericTypes: ReferenceTypes,
): readonly RootField[] {
  const byId = new Map(forms.map((form) => [form.formId, form]));
  /**
   * Converts global ids to the platform's ids.
   *
   * @throws {ViolationError} for a global id that is not an instance of the referenced form.
   */
  const toGeneric: ChangeMeaning['toGeneric'] = ({ formId, values, expected, ...rest }) => {
    const platformId = readAt(['input', 'formId'], () => toFormId(String(formId)));
    const { fields = [] } = byId.get(platformId) ?? {};
    const toOwnIds = (given: unknown, place: Place) =>
      toPlatformReferences(given as JsonObject, place, fields, genericTypes);
    return {
      ...rest,
      formId,
      ...(values ? { values: toOwnIds(values, 'values') } : {}),
      expected:
        expected && readGenericExpected(toOwnIds(expected, 'expected'), fields, genericTypes),
    };
  };
  return CHANGES.map((word) => `${word}Instance`).flatMap((name): RootField[] => {
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

type ReferenceTypes = Pick<GenericTypes, 'types' | 'typeNames' | 'dialect'>;

/** The members of an input with the values of fields. The platform's notation is for `values`. */
type Place = 'values' | 'expected';

/** Converts the global ids among the values of references. */
function toPlatformReferences(
  values: JsonObject,
  place: Place,
  fields: TypedForm['fields'],
  { types, typeNames }: ReferenceTypes,
): JsonObject {
  const converted: Record<string, Json> = { ...values };
  for (const { record, shape } of fields) {
    const held = converted[record.name];
    if (shape.kind !== 'reference' || held === undefined) continue;
    const toPlatform = (id: Json): Json => {
      if (typeof id !== 'string' || !findNodeKey(id)) return id;
      const path = ['input', place, record.name];
      const instanceId = readAt(path, () => toPlatformId(id, shape, typeNames));
      return place === 'values' ? writeValue(types, shape, instanceId) : instanceId;
    };
    converted[record.name] = Array.isArray(held) ? held.map(toPlatform) : toPlatform(held);
  }
  return converted;
}
