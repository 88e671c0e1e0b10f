import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLString,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
} from 'graphql';

/** Trusted documents by name, which are tools too. Together they have all kinds of arguments. */
export const TOOLS: Readonly<Record<string, string>> = {
  Search: `query Search($where: [CriterionInput!], $orderBy: [OrderInput!], $after: String) {
    instances(formId: "purchase-request", where: $where, orderBy: $orderBy, after: $after, first: 100) {
      totalCount
      nodes { values }
    }
  }`,
  Filter: `query Filter($where: PurchaseRequestFilterInput, $names: [String!]) {
    purchaseRequests(where: $where, first: 100) { nodes { title notes amount } }
    suppliers(where: { name: { in: $names } }) { totalCount }
  }`,
  Fields: `query Fields($field: String!) {
    instances(formId: "purchase-request", first: 100) {
      nodes { value(field: $field) reference(field: $field) { id } }
    }
  }`,
  Create: `mutation Create($values: JSONObject!) {
    createInstance(input: { formId: "supplier", values: $values }) { instance { values } }
  }`,
  Bulk: `mutation Bulk($items: [UpdateSuppliersItem!]!) {
    updateSuppliers(input: { items: $items }) {
      done
      results { status error { message violations } }
    }
  }`,
};

/**
 * Returns a tool as a field whose arguments are the document's variables. `undefined` for an
 * unknown name.
 */
export function toolField(
  name: string,
  schema: GraphQLSchema,
): GraphQLField<unknown, unknown> | undefined {
  const text = TOOLS[name];
  if (text === undefined) return undefined;
  const [operation] = parse(text).definitions as readonly OperationDefinitionNode[];
  const args = (operation?.variableDefinitions ?? []).map(({ variable, type }) => ({
    name: variable.name.value,
    type: typeFromAST(schema, type as never) as GraphQLInputType,
    ...NOTHING,
  }));
  return { name, args, type: GraphQLString, ...NOTHING };
}

const NOTHING = {
  description: undefined,
  defaultValue: undefined,
  deprecationReason: undefined,
  extensions: {},
  astNode: undefined,
};
