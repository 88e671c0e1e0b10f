import type { GraphQLFieldConfig, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { GraphQLList, GraphQLNonNull, GraphQLScalarType, GraphQLUnionType, isObjectType } from 'graphql';

import { InputError, orUndefined } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json.ts';
import { type CostRule, nodeLookUp, withCost } from '../../graphql/admission/cost.ts';
import type { OperationContext } from '../../graphql/context.ts';
import { type NodeRecord, parseNodeId } from '../../graphql/relay.ts';

/** The types that other subgraphs may refer to by `id`. */
export const entityTypes = (schema: GraphQLSchema): readonly GraphQLObjectType[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name, extensions: { form } }) => form || name === 'Form' || name === 'GenericInstance');

const description = 'A reference to an object (Apollo Federation 2): its `__typename` and its global `id`.';
const Representation = new GraphQLScalarType({ name: '_Any', description });
const REPRESENTATIONS = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Representation)));

type Given = { readonly representations: readonly unknown[] };

/** Creates `Query._entities`: the objects that representations name, each as `Query.node` reads it. */
export function createEntitiesField(schema: GraphQLSchema): GraphQLFieldConfig<unknown, OperationContext, Given> {
  const types = entityTypes(schema);
  const typesByForm = new Map(types.map(({ name, extensions: { form } }) => [form?.formId, name]));
  const instanceType = (formId: string): string => typesByForm.get(formId) ?? 'GenericInstance';

  /** Gives the global id. @throws {InputError} for what names no object of this graph. */
  const readId = (representation: unknown): string => {
    const { __typename: given, id } = isJsonObject(representation) ? representation : {};
    if (typeof id !== 'string') throw new InputError('A representation is an object with `__typename` and `id`.');
    const [type, formId] = parseNodeId(id);
    if (given === (type === 'Form' ? type : instanceType(formId))) return id;
    throw new InputError('The `id` of this representation is not that of an object of its `__typename`.');
  };
  const cost: CostRule = (_place, { representations = [] }) => {
    const idOf = (given: unknown) => orUndefined(() => readId(given)) ?? [];
    const ids = (representations as Given['representations']).flatMap(idOf);
    const forms = new Set(ids.map((id) => parseNodeId(id)[1])).size;
    const below = { objects: ids.length, records: new Set(ids).size, forms };
    return { lookUp: ids.flatMap((id) => nodeLookUp(id) ?? []), below };
  };
  const entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'What other subgraphs may refer to (Apollo Federation 2).',
    types,
    resolveType: (record: NodeRecord) => ('instanceId' in record ? instanceType(record.formId) : 'Form'),
  });

  return {
    type: new GraphQLNonNull(new GraphQLList(entity)),
    description:
      'The objects that representations name, each at its place, or `null` (Apollo Federation 2).\n\nSource: `getForm` or `getFormIntance` (sic). Instances of one form are batched into one list call where the platform can search by a list of ids.',
    args: { representations: { type: REPRESENTATIONS, description: 'In any order; duplicates are read once.' } },
    resolve: (_root, { representations }, { loaders }) =>
      representations.map(async (representation) => {
        const [type, formId, instanceId = ''] = parseNodeId(readId(representation));
        return type === 'Form' ? loaders.formById.load(formId) : loaders.instanceById(formId).load(instanceId);
      }),
    ...withCost(cost),
  };
}
