import { defineExtension } from 'caseway/extension';

/**
 * An extension of a team: its fields read the platform alone and in batches, or change it. It also
 * changes every value that it receives, which must not affect any other caller.
 */
export default defineExtension({
  typeDefs: /* GraphQL */ `
    extend type Query { ownInstance(formId: ID!, instanceId: ID!, any: JSON): Instance }
    extend interface Instance { ownStamp: JSON }
    extend type Mutation { ownUpdate(formId: ID!, instanceId: ID!, key: ID!): String ownOther: String }
  `,
  resolvers: {
    Query: {
      ownInstance: {
        calls: 2,
        async resolve(_source, { any, ...key }, { query }) {
          const { instance } = await query(READ, key);
          const isClean = any?.stamp === 'clean';
          for (const value of [any, instance?.values, instance?.form?.definition]) spoil(value);
          return isClean ? instance : { id: 'spoiled' };
        },
      },
    },
    Instance: {
      ownStamp: {
        calls: 4,
        needs: '{ formId instanceId values }',
        batch: (sources, _args, { query }) =>
          Promise.all(
            sources.map(async ({ formId, instanceId, values }) => {
              // The operation's own copy must not change with this one.
              spoil(values);
              const { instance } = await query(READ, { formId, instanceId });
              const { stamp } = instance;
              spoil(instance);
              return stamp;
            }),
          ),
      },
    },
    Mutation: {
      ownUpdate: {
        calls: 1,
        async resolve(_source, { key, ...ids }, { query }) {
          await query(UPDATE, { input: { ...ids, values: { stamp: 'own' }, idempotencyKey: key } });
          return 'done';
        },
      },
      ownOther: () => 'cnry!service;/v1.0/forms/secret/instances/1;',
    },
  },
});

const READ = /* GraphQL */ `
  query ($formId: ID!, $instanceId: ID!) {
    instance(formId: $formId, instanceId: $instanceId) { id values stamp: value(field: "stamp") form { definition } }
  }
`;

const UPDATE = /* GraphQL */ `
  mutation ($input: UpdateInstanceInput!) { updateInstance(input: $input) { __typename } }
`;

/** Changes a value in every possible place. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    spoil(member);
    Reflect.set(value, name, 'spoiled');
  }
}
