import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

import type {
  MutationResolvers,
  Node,
  QueryResolvers,
  Resolvers,
  ResolversParentTypes,
} from '../__generated__/resolvers.ts';
import { readOf } from '../upstream/operation.ts';
import { ENTITIES, type EntityRecord } from '../upstream/operations.ts';
import { INSTANCES } from '../upstream/resources/instances.ts';
import { lookUpOf, passThrough, perRow, SINGLE_NODE } from './admission/cost.ts';
import { ofRecord, type RootFields } from './entity-fields.ts';
import { findNodeKey, loadNode, nodeIdsOf, parseNodeId } from './relay.ts';
import * as cases from './resources/cases.ts';
import * as forms from './resources/forms.ts';
import * as instances from './resources/instances.ts';
import * as rules from './resources/rules.ts';
import { scalars } from './scalars.ts';
import type { RootMeaning } from './schema-metadata.ts';

/** The meaning of a field without calls to the platform and without a required permission. */
const UNRESTRICTED: RootMeaning = { cost: passThrough, demand: () => undefined };

/** Every root field except those from features. A missing field does not compile. */
const ROOT_FIELDS = {
  Query: {
    ...forms.Query,
    ...instances.Query,
    ...rules.Query,
    node: {
      resolve: async (_root, { id }, { loaders }) => loadNode(parseNodeId(id), loaders),
      meaning: {
        cost(_place, { id }) {
          const text = String(id);
          // A plan may have a placeholder for the id. It counts as an instance of a separate form.
          const key = findNodeKey(text) ?? {
            entity: INSTANCES,
            ids: { formId: text, instanceId: text },
          };
          return { lookUps: [lookUpOf(key.entity, key.ids)], children: SINGLE_NODE };
        },
        demand({ id }) {
          // An invalid id needs no permission. It fails in the resolver.
          const key = findNodeKey(id);
          return key && readOf(key.entity).needs(key.ids);
        },
      },
    },
    viewer: {
      resolve(_root, _args, { session, requestState }) {
        requestState.markPersonal();
        return session.viewer;
      },
      meaning: UNRESTRICTED,
    },
  },
  Mutation: {
    ...instances.Mutation,
    ...cases.Mutation,
    ...rules.Mutation,
    signIn: {
      resolve: (_root, { input }, { session }) => session.signIn(input),
      meaning: {
        ...UNRESTRICTED,
        cost: () => ({ own: { operation: 'getToken', calls: 1 }, children: SINGLE_NODE }),
      },
    },
    signOut: {
      async resolve(_root, _args, { session }) {
        await session.signOut();
        return { viewer: undefined };
      },
      meaning: UNRESTRICTED,
    },
  },
} satisfies {
  readonly Query: RootFields<Required<QueryResolvers>>;
  readonly Mutation: RootFields<Required<MutationResolvers>>;
};

/** The input types of changes, which get an `idempotencyKey`. */
export const CHANGE_INPUTS = Object.entries<{ readonly meaning: RootMeaning }>(ROOT_FIELDS.Mutation)
  .filter(([, { meaning }]) => meaning.isKeyed)
  .map(([name]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`);

/** The fields of types that are not members of their records. */
const TYPE_FIELDS = { Form: forms.Form, Instance: instances.Instance };

/** The fields of a type without a member of the same name in its record, except the global id. */
type Unrecorded<T extends keyof Resolvers & keyof ResolversParentTypes> = Exclude<
  keyof NonNullable<Resolvers[T]>,
  keyof ResolversParentTypes[T] | keyof Node | '__isTypeOf'
>;
type CompleteResolvers = {
  readonly [T in keyof Resolvers & keyof ResolversParentTypes as Unrecorded<T> extends never
    ? never
    : T]: Required<Pick<NonNullable<Resolvers[T]>, Unrecorded<T>>>;
};

/** Every non-default resolver of the generic graph. A missing resolver does not compile. */
export const resolvers = {
  ...scalars,
  Query: resolversOf(ROOT_FIELDS.Query),
  Mutation: resolversOf(ROOT_FIELDS.Mutation),
  Form: resolversOf(TYPE_FIELDS.Form),
  Instance: { __resolveType: () => 'GenericInstance', ...resolversOf(TYPE_FIELDS.Instance) },
  Node: { __resolveType: ({ kind }) => (kind === 'Instance' ? 'GenericInstance' : kind) },
} satisfies Resolvers & CompleteResolvers;

type ResolverOf<F> = F extends { readonly resolve: infer R } ? R : F;

function resolversOf<F extends object>(fields: F) {
  const all = Object.entries(fields).map(([name, field]) => [
    name,
    'resolve' in field ? field.resolve : field,
  ]);
  return Object.fromEntries(all) as { readonly [Name in keyof F]: ResolverOf<F[Name]> };
}

type Meanings = Readonly<Record<string, object>>;

/** The meanings of fields, by type. A test compares the costs with the calls of random operations. */
const MEANINGS: Readonly<Record<string, Meanings>> = {
  ...ROOT_FIELDS,
  ...TYPE_FIELDS,
  GenericInstance: TYPE_FIELDS.Instance,
  Connection: { nodes: { meaning: { cost: perRow } }, edges: { meaning: { cost: perRow } } },
  Edge: { node: { meaning: { cost: passThrough } } },
  // A payload contains the changed record under the name of its kind.
  Payload: Object.fromEntries(
    ENTITIES.map(({ kind }) => [
      kind.toLowerCase(),
      { meaning: { cost: passThrough, isNeverNull: true } },
    ]),
  ),
};

/**
 * Adds the meanings to the fields of the generic graph.
 *
 * @throws {Error} for a field without a cost rule that leads to records of the platform.
 */
export function addMeaning(schema: GraphQLSchema): void {
  readMembers(schema);
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const meanings = meaningsOf(type);
    for (const [name, field] of Object.entries(type.getFields())) {
      Object.assign(field.extensions, meaningOf(meanings[name]));
      const isFree = field.extensions.cost === undefined && isOfRecords(getNamedType(field.type));
      if (isFree) throw new Error(`${type.name}.${name} has no rule of cost.`);
    }
  }
}

const meaningOf = (field: object | undefined) =>
  field && 'meaning' in field ? field.meaning : undefined;

/**
 * Adds resolvers that write global ids, and resolvers that read the record's member of the field's
 * name. A record with nothing but its ids is loaded first.
 */
function readMembers(schema: GraphQLSchema): void {
  for (const entity of ENTITIES) {
    const type = schema.getType(typeNameOf(entity.kind));
    const fields = isObjectType(type) ? Object.entries(type.getFields()) : [];
    for (const [name, field] of fields) {
      if (name === 'id') field.resolve = nodeIdsOf(entity);
      if (field.resolve || entity.path.some((id) => id === name)) continue;
      const { resolve, meaning } = ofRecord(entity, (record) => record[name as keyof EntityRecord]);
      field.resolve = resolve;
      Object.assign(field.extensions, meaning);
    }
  }
}

/** Returns the generic type of the records of a kind. */
const typeNameOf = (kind: string): string => (kind === 'Instance' ? 'GenericInstance' : kind);

function meaningsOf({ name }: GraphQLObjectType | GraphQLInterfaceType): Meanings {
  const [end] = /(Connection|Edge|Payload)$/.exec(name) ?? [];
  return MEANINGS[end ?? name] ?? {};
}

/** Returns whether a type is a record with an id, or a connection of records. */
const isOfRecords = (type: GraphQLNamedType): boolean =>
  /(Connection|Edge)$/.test(type.name) ||
  ('getInterfaces' in type && [type, ...type.getInterfaces()].some(({ name }) => name === 'Node'));
