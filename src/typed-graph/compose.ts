import {
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql';

import type { OperationContext } from '../graphql/context.ts';
import { withCost } from '../graphql/cost-rules.ts';
import { toInstanceId } from '../graphql/node-ids.ts';
import { createSchema, printSdl } from '../graphql/schema.ts';
import { compareSchemas, type SchemaChange } from '../graphql/schema-diff.ts';
import { changedForms, type DefinitionSet } from '../upstream/definitions/reader.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { FormRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import type { Aliases } from './aliases.ts';
import { takeBasis, takeChange } from './basis.ts';
import { costOfOne } from './costs.ts';
import type { OwnNames } from './form-names.ts';
import { createFormTypes, createList, type FormTypes } from './form-types.ts';
import { checkGenericChanges } from './generic-changes.ts';
import { mapForms, type Problem } from './map-forms.ts';
import { createMutations } from './mutations.ts';
import { createRuleMutation, mapRules, type RuleProblem } from './rules.ts';
import { DateScalar, Decimal, Long } from './scalars.ts';
import { FILTER_NAMES } from './search.ts';
import type { TypedForm } from './typed-form.ts';

/** A schema with types made of forms' definitions. */
export interface Composed {
  readonly schema: GraphQLSchema;
  /** The forms that have types of their own. */
  readonly forms: readonly TypedForm[];
  /** Why others, or configured rules, have none. */
  readonly problems: readonly (Problem | RuleProblem)[];
}

/** What composing depends on besides the definitions. */
export interface ComposeOptions {
  readonly dialect: Dialect;
  readonly aliases?: Aliases | undefined;
  /** The rules that get mutations of their own, and what the platform says of them. */
  readonly ruleKeys?: readonly RuleKey[];
  readonly rules?: readonly RuleRecord[];
  /** The forms that get types; all where absent. Names depend on the others as well. */
  readonly only?: ReadonlySet<string>;
}

/** Adds to the public schema a type for each form, and what asks for its instances. */
export function composeSchema(definitions: readonly FormRecord[], options: ComposeOptions): Composed {
  const { dialect, aliases, only, ruleKeys = [], rules: known = [] } = options;
  const typeNames = new Map<string, string>();
  const base = createSchema(({ formId }) => typeNames.get(formId) ?? 'GenericInstance');
  const mapped = mapForms(definitions, { aliases: aliases ?? new Map(), own: ownNames(base), only });
  const { forms, taken } = mapped;
  const { rules, problems: ruleProblems } = mapRules({ keys: ruleKeys, known }, { dialect, taken });
  const problems = [...mapped.problems, ...ruleProblems];
  for (const { formId, names } of forms) typeNames.set(formId, names.type);
  if (forms.length + rules.length === 0) return { schema: base, forms, problems };

  const basis = takeBasis(base, dialect);
  const types = createFormTypes(forms, basis);
  const { query, mutation, types: others, ...config } = base.toConfig();
  const schema = new GraphQLSchema({
    ...config,
    // Whatever the definitions: a test composes any, and to find thousands of types valid anew takes long.
    assumeValid: true,
    query: extend(query, types.flatMap(createQueries)),
    mutation: extend(mutation, [
      ...checkGenericChanges(mutation?.toConfig().fields ?? {}, forms),
      ...types.flatMap((form) => createMutations(form, basis)),
      ...rules.map((rule) => createRuleMutation(rule, { basis, generic: takeChange(base, 'executeRule') })),
    ]),
    types: [...others.filter((type) => type !== query && type !== mutation), ...types.map(({ instance }) => instance)],
  });
  return { schema, forms, problems };
}

type RootFields = readonly (readonly [name: string, field: GraphQLFieldConfig<unknown, OperationContext>])[];

function extend(type: GraphQLObjectType | null | undefined, fields: RootFields): GraphQLObjectType {
  if (!type) throw new Error('The schema has nothing to extend.');
  const config = type.toConfig();
  return new GraphQLObjectType({ ...config, fields: { ...config.fields, ...Object.fromEntries(fields) } });
}

/** Gives the names that the rest of the graph has. */
function ownNames(schema: GraphQLSchema): OwnNames {
  const fieldsOf = (type: GraphQLObjectType | null | undefined) => new Set(Object.keys(type?.getFields() ?? {}));
  const scalars = [DateScalar, Decimal, Long, GraphQLInt, GraphQLFloat];
  return {
    types: new Set([
      ...Object.keys(schema.getTypeMap()),
      ...scalars.map(({ name }) => name),
      ...Object.values(FILTER_NAMES),
      'Subscription',
    ]),
    queries: fieldsOf(schema.getQueryType()),
    mutations: fieldsOf(schema.getMutationType()),
  };
}

type RootField = GraphQLFieldConfig<unknown, OperationContext>;

/** Makes the fields of `Query` for a form: one instance by its id, and a list. */
export function createQueries(types: FormTypes): readonly (readonly [name: string, field: RootField])[] {
  const { formId, names, title } = types.form;
  const one: RootField = {
    type: types.instance,
    description: `One instance of ${title}, or \`null\` when there is none.\n\nSource: \`getFormIntance\` (sic) of \`${formId}\`. Several of one operation cost one list call together where the platform can search by a list of ids.`,
    args: {
      instanceId: {
        type: new GraphQLNonNull(GraphQLID),
        description: 'The platform’s `idInstance`, a decimal integer, or the global `id`.',
      },
    },
    resolve: (_root, { instanceId }, { loaders }) =>
      loaders.instanceById(formId).load(toInstanceId(formId, instanceId)),
    ...withCost(costOfOne(formId)),
  };
  const description = `The instances of ${title}; \`null\` only with an error beside it.\n\nSource: \`getFormIntances\` (sic) of \`${formId}\`. One upstream call, two or more only where no single page of the platform holds the one asked for.`;
  return [
    [names.one, one],
    [names.many, createList(types, { description }) as RootField],
  ];
}

interface CompareOptions extends ComposeOptions {
  /** Forms that changed though their definitions did not. */
  readonly renamed: readonly string[];
}

/** Gives what changes in the graph when definitions do, for the clients that were built before. */
export async function compareDefinitions(
  before: DefinitionSet,
  after: DefinitionSet,
  { renamed, ...options }: CompareOptions,
): Promise<readonly SchemaChange[]> {
  const changed = new Set([...changedForms(before.forms, after.forms), ...renamed]);
  // All other forms are the same in both, and comparing large schemas takes long.
  const only = withNeighbours(changed, [...before.forms, ...after.forms]);
  const sdlOf = ({ forms, rules }: DefinitionSet) => printSdl(composeSchema(forms, { ...options, rules, only }).schema);
  return compareSchemas(sdlOf(before), sdlOf(after));
}

/** Adds the forms that these refer to: they list what refers to them. */
function withNeighbours(formIds: ReadonlySet<string>, forms: readonly FormRecord[]): ReadonlySet<string> {
  const targets = forms
    .filter(({ formId }) => formIds.has(formId))
    .flatMap(({ fields = [] }) => fields.flatMap(({ reference }) => reference ?? []));
  return new Set([...formIds, ...targets]);
}
