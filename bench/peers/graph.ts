import DataLoader from 'dataloader';

import type { Form, Instance, Owner, Platform } from './platform.ts';

/** The context of one operation: the platform, and a DataLoader for each kind of id. */
export interface Context {
  readonly platform: Platform;
  readonly forms: DataLoader<string, Form>;
  readonly owners: DataLoader<number, Owner>;
}

/**
 * Returns a function that creates a context. Each operation gets its own, as DataLoader's
 * documentation recommends.
 */
export const createContexts = (platform: Platform) => (): Context => ({
  platform,
  forms: new DataLoader((ids) => Promise.all(ids.map(platform.form))),
  owners: new DataLoader((ids) => Promise.all(ids.map(platform.owner))),
});

/** The resolvers of both peers. */
export const resolvers = {
  Query: {
    form: (_root: unknown, { formId }: { formId: string }, { forms }: Context) =>
      forms.load(formId),
    instances: async (
      _root: unknown,
      { formId, page }: { formId: string; page: number },
      { platform }: Context,
    ) => ({
      nodes: await platform.instances(formId, page),
    }),
  },
  Instance: {
    form: ({ formId }: Instance, _args: unknown, { forms }: Context) => forms.load(formId),
    owner: ({ owner }: Instance, _args: unknown, { owners }: Context) => owners.load(owner),
  },
};

/** A graph written for these forms only. Every value is a field with the default resolver. */
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
