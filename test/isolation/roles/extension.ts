/** An extension that changes an instance without the platform's own mutations. */
export default {
  typeDefs: `extend type Mutation { ownUpdate(formId: ID!, instanceId: ID!, key: ID!): String ownOther: String }`,
  resolvers: {
    Mutation: {
      ownUpdate: {
        calls: 1,
        resolve: async (
          _source: unknown,
          { formId, instanceId, key }: Readonly<Record<string, string>>,
          // biome-ignore lint/suspicious/noExplicitAny: the graph of this module is the test's.
          { query }: any,
        ) => {
          const input = { formId, instanceId, values: { name: 'own' }, idempotencyKey: key };
          await query(
            'mutation ($input: UpdateInstanceInput!) { updateInstance(input: $input) { __typename } }',
            {
              input,
            },
          );
          return 'done';
        },
      },
      ownOther: () => 'cnry-val-secret.',
    },
  },
};
