/** A graph written for exactly these forms: every value is a field of its own, resolved by default. */
export const typeDefs = `
  type Query {
    form(formId: ID!): Form
    instances(formId: ID!, page: Int!): Instances
  }
  type Form {
    formId: ID!
    name: String
    fields: [FormField!]!
  }
  type FormField {
    name: String!
    label: String
    type: String
    required: Boolean
  }
  type Instances {
    nodes: [Instance!]!
  }
  type Instance {
    instanceId: ID!
    title: String
    amount: Float
    open: Boolean
    quantity: Int
    city: String
    street: String
    phone: String
    email: String
    note: String
    form: Form
    owner: Owner
  }
  type Owner {
    name: String
  }
`;
