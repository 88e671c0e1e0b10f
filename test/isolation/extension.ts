import { defineExtension } from 'caseway/extension';

/**
 * Reads the platform for fields of its own, alone and in batches, as a team's extension does, and changes whatever it was
 * given: nobody else may notice.
 */
export default defineExtension({
  typeDefs: /* GraphQL */ `
    extend type Query { ownInstance(formId: ID!, instanceId: ID!, any: JSON): Instance }
    extend interface Instance { ownStamp: JSON }
  `,
  resolvers: {
    Query: {
      ownInstance: {
        calls: 2,
        async resolve(_source, { any, ...key }, { platform }) {
          const instance = await platform.query.instance(key);
          const form = await instance?.form();
          for (const given of [any, instance?.values, form?.definition]) spoil(given);
          return any?.stamp === 'clean' ? instance : { formId: 'spoiled' };
        },
      },
    },
    Instance: {
      ownStamp: {
        calls: 1,
        batch: (sources, _args, { platform }) =>
          Promise.all(
            sources.map(async ({ formId, instanceId, values }) => {
              const instance = await platform.query.instance({ formId, instanceId });
              const stamp = instance.value({ field: 'stamp' });
              for (const given of [values, instance.values]) spoil(given);
              return stamp;
            }),
          ),
      },
    },
  },
});

/** Changes a value as far as it can be changed. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    spoil(member);
    Reflect.set(value, name, 'spoiled');
  }
}
