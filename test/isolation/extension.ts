import { defineExtension } from 'caseway/extension';

/** Reads the platform for fields of its own, alone and in batches, as a team's extension does. */
export default defineExtension({
  typeDefs: /* GraphQL */ `
    extend type Query { ownInstance(formId: ID!, instanceId: ID!): Instance }
    extend interface Instance { ownStamp: JSON }
  `,
  resolvers: {
    Query: { ownInstance: { calls: 1, resolve: (_source, key, { platform }) => platform.query.instance(key) } },
    Instance: {
      ownStamp: {
        calls: 1,
        batch: (sources, _args, { platform }) =>
          Promise.all(
            sources.map(async ({ formId, instanceId }) =>
              (await platform.query.instance({ formId, instanceId })).value({ field: 'stamp' }),
            ),
          ),
      },
    },
  },
});
