import type {
  GraphQLFieldConfig,
  GraphQLInterfaceType,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql';
import { GraphQLList, GraphQLNonNull, GraphQLScalarType, GraphQLUnionType } from 'graphql';

import { InputError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { oncePer } from '../../core/once-per.ts';
import { type CostRule, type LookUpKey, lookUpOf } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { findNodeKey, loadNode, type NodeKey } from '../../graphql/relay.ts';
import { withCost } from '../../graphql/schema-metadata.ts';

/** Returns the types that other subgraphs may refer to by `id`. */
export const entityTypes = (schema: GraphQLSchema): readonly GraphQLObjectType[] =>
  schema.getPossibleTypes(nodeOf(schema));

const nodeOf = (schema: GraphQLSchema) => schema.getType('Node') as GraphQLInterfaceType;

const description =
  'A reference to an object (Apollo Federation 2): its `__typename` and its global `id`.';
const Representation = new GraphQLScalarType({ name: '_Any', description });
const REPRESENTATIONS = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Representation)));

// One instance for all errors, since a request may contain thousands of them.
const MALFORMED = new InputError(
  'A representation is an object with a `__typename` and the global `id` of an object of this type.',
);

type Representations = readonly unknown[];
type Given = { readonly representations: Representations };

/**
 * Creates `Query._entities`. It returns the objects of the representations, each read like
 * `Query.node`.
 */
export function createEntitiesField(
  schema: GraphQLSchema,
): GraphQLFieldConfig<unknown, OperationContext, Given> {
  const node = nodeOf(schema);

  /**
   * Returns the key of the represented object; `undefined` if it is not an object of this graph.
   */
  const findKey = (representation: unknown): NodeKey | undefined => {
    const { __typename: given, id } = isJsonObject(representation) ? representation : {};
    const key = typeof id === 'string' ? findNodeKey(id) : undefined;
    return key && given === node.resolveType?.(key.ids, undefined, undefined as never, node)
      ? key
      : undefined;
  };
  // Many aliases may use the same list.
  const keysOf = oncePer((representations: Representations) => representations.map(findKey));
  const costOf = oncePer((representations: Representations): ReturnType<CostRule> => {
    const lookUps = new Map<unknown, LookUpKey>();
    const forms = new Set<string>();
    for (const [index, key] of keysOf(representations).entries()) {
      if (key === undefined) continue;
      forms.add(key.ids[key.entity.path[0]]);
      lookUps.set((representations[index] as JsonObject)['id'], lookUpOf(key.entity, key.ids));
    }
    // A malformed representation also gets an item in the list: `null` with an error.
    return {
      lookUps: [...lookUps.values()],
      children: { objects: representations.length, records: lookUps.size, forms: forms.size },
    };
  });
  const cost: CostRule = (_place, args) => costOf((args as Partial<Given>).representations ?? []);
  const entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'The types that other subgraphs may refer to (Apollo Federation 2).',
    types: entityTypes(schema),
    resolveType: node.resolveType,
  });

  return {
    type: new GraphQLNonNull(new GraphQLList(entity)),
    description:
      'The objects of the representations, in the same order; `null` for a missing object (Apollo Federation 2).\n\nSource: `getForm` or `getFormIntance` (sic). Instances of one form are batched into one list call where the platform can search by a list of ids.',
    args: {
      representations: {
        type: REPRESENTATIONS,
        description: 'In any order; duplicates are read once.',
      },
    },
    resolve: (_root, { representations }, { loaders }) =>
      keysOf(representations).map((key) =>
        key === undefined ? MALFORMED : loadNode(key, loaders),
      ),
    // The permission is checked for each entity when it is read, as for a reference.
    ...withCost(cost, { demand: () => undefined }),
  };
}
