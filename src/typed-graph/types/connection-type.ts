import { GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } from 'graphql';

import { withCost } from '../../graphql/cost/rule.ts';
import { rows, same } from '../../graphql/cost/rules.ts';
import type { TypedForm } from '../typed-form.ts';
import type { TypeBasis } from './basis.ts';

/** Makes the Relay connection of a form's instances. */
export function createConnectionType({ names, title }: TypedForm, node: GraphQLObjectType, { pageInfo }: TypeBasis) {
  const edge = new GraphQLObjectType({
    name: `${names.type}Edge`,
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
    name: `${names.type}Connection`,
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
