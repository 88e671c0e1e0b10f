import type { Operation } from './operation.ts';

const update = (alias: string, fields: string) =>
  `${alias}: updateInstance(input: { formId: "thing", instanceId: 5, values: { name: "${alias}" } }) { ${fields} }`;

/** Mutations. The interface answers PUT and PATCH without a body, so what is read back costs a call. */
export const CHANGES: readonly Operation[] = [
  {
    name: 'an update',
    query: `mutation { ${update('a', '__typename')} }`,
    least: 1,
    because: 'the PATCH',
  },
  {
    name: 'an update that is read back',
    query: `mutation { ${update('a', 'instance { name: value(field: "name") }')} }`,
    least: 2,
    because: 'the PATCH tells nothing of the instance',
  },
  {
    name: 'two updates of one instance, both read back',
    query: `mutation { ${update('a', 'instance { name: value(field: "name") }')} ${update('b', 'instance { name: value(field: "name") }')} }`,
    least: 4,
    because: 'each payload shows what its own change left, and they run one after the other',
  },
  {
    name: 'a new instance with its values and form',
    query:
      'mutation { createInstance(input: { formId: "owner", values: { name: "new" } }) { instance { name: value(field: "name") form { name } } } }',
    least: 2,
    because: 'the POST answers with the values; the form is a getForm',
  },
  {
    name: 'a deletion',
    query: 'mutation ($id: ID!) { deleteInstance(input: { formId: "expense", instanceId: $id }) { deletedId } }',
    variables: (turn) => ({ id: String(turn + 1) }),
    least: 1,
    because: 'the DELETE',
  },
  {
    name: 'a case',
    query:
      'mutation { startCase(input: { process: "purchase-approval", values: { title: "Lamps", amount: 120 } }) { case { __typename } } }',
    least: 1,
    because: 'the POST',
  },
  {
    name: 'a rule executed',
    query:
      'mutation { executeRule(input: { component: "approval-level", version: "1.0", parameters: [{ name: "amount", type: "decimal", value: 300 }] }) { __typename } }',
    least: 1,
    because: 'the PUT',
  },
];
