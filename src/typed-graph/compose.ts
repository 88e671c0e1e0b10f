import {
  type GraphQLFieldConfig,
  type GraphQLObjectType,
  GraphQLSchema,
  GraphQLObjectType as ObjectType,
} from 'graphql';
import type { OperationContext } from '../graphql/context.ts';
import { createSchema } from '../graphql/schema.ts';
import type { Dialect } from '../upstream/dialect.ts';
import type { FormRecord, RuleKey, RuleRecord } from '../upstream/records.ts';
import type { Aliases } from './aliases.ts';
import { createFormTypes } from './form-types.ts';
import { mapForms, type Problem } from './map-forms.ts';
import { createMutations } from './mutations.ts';
import { capitalize } from './names/words.ts';
import { createQueries } from './queries.ts';
import { mapRules } from './rules/map-rules.ts';
import { createRuleMutation } from './rules/rule-mutation.ts';
import type { RuleProblem } from './rules/typed-rule.ts';
import { DateScalar, Decimal, Long } from './scalars.ts';
import type { TypedForm } from './typed-form.ts';
import { takeBasis } from './types/basis.ts';
import { takeChange } from './types/generic-change.ts';

/** A schema with types made of forms' definitions. */
export interface Composed {
  readonly schema: GraphQLSchema;
  /** The forms that have types of their own. */
  readonly forms: readonly TypedForm[];
  /** Why others, or rules that are wanted, have none. */
  readonly problems: readonly (Problem | RuleProblem)[];
}

/** What composing depends on besides the definitions. */
export interface ComposeOptions {
  readonly dialect: Dialect;
  readonly aliases?: Aliases | undefined;
  /** The rules that get mutations of their own, and what the platform tells of them. */
  readonly wantedRules?: readonly RuleKey[];
  readonly rules?: readonly RuleRecord[];
}

/** Adds to the public schema a type for each form, and what asks for its instances. */
export function composeSchema(definitions: readonly FormRecord[], options: ComposeOptions): Composed {
  const { dialect, aliases, wantedRules = [], rules: known = [] } = options;
  const typeNames = new Map<string, string>();
  const base = createSchema(({ formId }) => typeNames.get(formId) ?? 'GenericInstance');
  const { rules, ...mapped } = mapRules({ wanted: wantedRules, known }, dialect);
  const { forms, ...unmapped } = mapForms(definitions, { aliases: aliases ?? new Map(), isReserved: reservedIn(base) });
  const problems = [...unmapped.problems, ...mapped.problems];
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
  return new ObjectType({ ...config, fields: { ...config.fields, ...Object.fromEntries(fields) } });
}

/** Tells the names that the rest of the graph has, of its types and of what it can be asked. */
function reservedIn(schema: GraphQLSchema): (name: string) => boolean {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const names = new Set([
    ...Object.keys(schema.getTypeMap()),
    ...roots.flatMap((root) => Object.keys(root?.getFields() ?? {})).map(capitalize),
    ...[DateScalar, Decimal, Long].map(({ name }) => name),
    ...['Subscription', 'Int', 'Float'],
  ]);
  return (name) => names.has(name);
}
