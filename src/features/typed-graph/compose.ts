import { GraphQLObjectType, GraphQLSchema, isInterfaceType } from 'graphql';

import type { FormGraphNames } from '../../graphql/form-field.ts';
import { createSchema } from '../../graphql/schema.ts';
import type { Dialect } from '../../upstream/dialect.ts';
import type { EntityRecord } from '../../upstream/operations.ts';
import type { FormRecord, RuleKey, RuleRecord } from '../../upstream/records.ts';
import { COUNT_TYPE, createCounts } from './counts.ts';
import { filterNameOf } from './field-types.ts';
import { createFormTypes, createQueries } from './form-types.ts';
import {
  type GenericTypes,
  genericMutation,
  type RootField,
  readGenericTypes,
} from './generic-types.ts';
import { acceptGlobalIds, createMutations } from './mutations.ts';
import type { Aliases, OwnNames } from './names.ts';
import { createRuleMutation, mapRules } from './rules.ts';
import { mapForms, type Problem, type TypedField, type TypedForm } from './typed-form.ts';

declare module 'graphql' {
  interface GraphQLSchemaExtensions {
    /** The forms that have types of their own. */
    readonly typedForms?: readonly TypedForm[];
  }
}

/**
 * A schema with types of forms. `problems` are the forms, fields and rules that stay generic, with
 * the reason.
 */
export interface Composed {
  readonly schema: GraphQLSchema;
  readonly forms: readonly TypedForm[];
  readonly problems: readonly Problem[];
}

/** The inputs of the composition besides the definitions. */
export interface ComposeOptions {
  readonly dialect: Dialect;
  readonly aliases?: Aliases | undefined;
  /** The rules that get mutations, and their records as far as the platform returned them. */
  readonly ruleKeys?: readonly RuleKey[];
  readonly rules?: readonly RuleRecord[];
}

/**
 * Adds the types of each form, with its queries and mutations, to the generic schema.
 *
 * @param base a schema that nothing else uses: the type resolvers of its interfaces are replaced.
 */
export function composeSchema(
  definitions: readonly FormRecord[],
  options: ComposeOptions,
  base = createSchema(),
): Composed {
  const { dialect, aliases = new Map(), ruleKeys = [], rules: known = [] } = options;
  const genericTypes = readGenericTypes(base, dialect);
  const mapped = mapForms(definitions, { dialect, aliases, own: ownNames(base, genericTypes) });
  const { forms, taken } = mapped;
  for (const { formId, names } of forms) genericTypes.typeNames.set(formId, names.type);
  const { rules, problems: ruleProblems } = mapRules({ keys: ruleKeys, known, dialect, taken });
  const problems = [...mapped.problems, ...withoutForm(aliases, definitions), ...ruleProblems];
  if (forms.length + rules.length === 0) return { schema: base, forms, problems };

  const types = createFormTypes(forms, genericTypes);
  const { query, mutation, types: others, ...config } = base.toConfig();
  const schema = new GraphQLSchema({
    ...config,
    // The definitions cannot make the schema invalid, and a test composes random ones. Validating
    // thousands of types again takes long.
    assumeValid: true,
    query: extend(query, [
      ...types.flatMap((form) => createQueries(form, genericTypes)),
      ...createCounts(types, genericTypes),
    ]),
    mutation: extend(mutation, [
      ...acceptGlobalIds(mutation?.toConfig().fields ?? {}, forms, genericTypes),
      ...types.flatMap((form) => createMutations(form, genericTypes)),
      ...rules.map((rule) =>
        createRuleMutation(rule, genericTypes, genericMutation(base, 'executeRule')),
      ),
    ]),
    types: [
      ...others.filter((type) => type !== query && type !== mutation),
      ...types.map(({ instance }) => instance),
    ],
    extensions: { ...config.extensions, typedForms: forms, formNames: namesOf(forms) },
  });
  resolveFormTypes(schema, forms);
  return { schema, forms, problems };
}

const namesOf = (forms: readonly TypedForm[]): ReadonlyMap<string, FormGraphNames> =>
  new Map(
    forms.map(({ formId, names, fields }) => [
      formId,
      { typeName: names.type, fields: new Map(fields.map(toFieldNames)) },
    ]),
  );

const toFieldNames = ({ name, record, shape }: TypedField) =>
  [
    record.name,
    {
      name,
      choices: shape.kind === 'choice' ? shape.choices : undefined,
      reference: shape.kind === 'reference' ? shape.formId : undefined,
    },
  ] as const;

/**
 * Returns a problem for each alias whose form does not exist. Without any form, the definitions
 * were probably not read, so no alias is reported.
 */
function withoutForm(aliases: Aliases, definitions: readonly FormRecord[]): readonly Problem[] {
  const known = new Set(definitions.map(({ formId }) => formId));
  const unknown =
    known.size === 0 ? [] : [...aliases.keys()].filter((formId) => !known.has(formId));
  return unknown.map((id) => ({
    of: 'form',
    id,
    reason: 'TYPED_ALIASES names it, and no form of TYPED_FORMS has this id',
  }));
}

/**
 * Sets the type resolvers of the interfaces of instances, so that they return the types of forms.
 */
function resolveFormTypes(schema: GraphQLSchema, forms: readonly TypedForm[]): void {
  const names = new Map(forms.map(({ formId, names: { type } }) => [formId, type]));
  for (const type of ['Node', 'Instance'].map((name) => schema.getType(name))) {
    if (!isInterfaceType(type) || !type.resolveType) continue;
    const resolveGeneric = type.resolveType as (record: EntityRecord, context: unknown) => string;
    // With two parameters, the executor creates no `info` for each record.
    type.resolveType = (record: EntityRecord, context: unknown) =>
      (record.kind === 'Instance' ? names.get(record.formId) : undefined) ??
      resolveGeneric(record, context);
  }
}

function extend(
  type: GraphQLObjectType | null | undefined,
  fields: readonly RootField[],
): GraphQLObjectType {
  if (!type) throw new Error('The schema has nothing to extend.');
  const config = type.toConfig();
  return new GraphQLObjectType({
    ...config,
    fields: { ...config.fields, ...Object.fromEntries(fields) },
  });
}

/** Returns the names that the generic graph uses. */
function ownNames(schema: GraphQLSchema, { types, genericInstance }: GenericTypes): OwnNames {
  const fieldsOf = (type: GraphQLObjectType | null | undefined) =>
    new Set(Object.keys(type?.getFields() ?? {}));
  return {
    types: new Set([
      ...Object.keys(schema.getTypeMap()),
      ...Object.values(types).flatMap((type) => [type.type.name, filterNameOf(type)]),
      COUNT_TYPE,
      'Subscription',
    ]),
    queries: fieldsOf(schema.getQueryType()),
    mutations: fieldsOf(schema.getMutationType()),
    fields: fieldsOf(genericInstance),
  };
}
