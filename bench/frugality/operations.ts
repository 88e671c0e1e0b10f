/** One operation of the table. */
export interface Operation {
  readonly name: string;
  readonly query: string;
  /** Variables that differ from run to run, such as the instance to delete. */
  readonly variables?: (turn: number) => Readonly<Record<string, unknown>>;
  /** Whether it has typed fields, which only Caseway has. */
  readonly isTyped?: true;
  /** The fewest calls that can answer it for a client that knows only the interface. */
  readonly least: number;
  /** The reason why fewer calls are not possible. */
  readonly because: string;
}

const cursor = (position: number) => Buffer.from(`at:${position}`).toString('base64url');
const nodeId = (...key: readonly string[]) =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

const NAME_OF_INSTANCE = 'instance { name: value(field: "name") }';

const update = (alias: string, fields: string) => `
  ${alias}: updateInstance(
    input: { formId: "thing", instanceId: 5, values: { name: "${alias}" } }
  ) { ${fields} }`;

/**
 * Queries. The form `thing` has 100 instances, which refer to 10 of `owner`. The others are the
 * sandbox's samples.
 */
const READS: readonly Operation[] = [
  {
    name: 'a constant',
    query: '{ __typename }',
    least: 0,
    because: 'needs no data of the platform',
  },
  {
    name: 'a form',
    query: '{ form(formId: "thing") { name fields { name type } } }',
    least: 1,
    because: 'one getForm',
  },
  {
    name: 'the same form five times',
    query: `
      {
        a: form(formId: "thing") { name }
        b: form(formId: "thing") { version }
        c: form(formId: "thing") { name }
        d: form(formId: "thing") { name }
        e: form(formId: "thing") { fields { name } }
      }
    `,
    least: 1,
    because: 'one getForm returns everything',
  },
  {
    name: 'four forms by their ids',
    query: `
      {
        a: form(formId: "thing") { name }
        b: form(formId: "owner") { name }
        c: form(formId: "expense") { name }
        d: form(formId: "employee") { name }
      }
    `,
    least: 1,
    because: 'one getForms searches by several ids',
  },
  {
    name: 'all forms with their fields',
    query: '{ forms { totalCount nodes { name fields { name } } } }',
    least: 1,
    because: 'one getForms returns complete forms',
  },
  {
    name: 'a list of 100',
    query: `
      {
        instances(formId: "thing", first: 100) {
          totalCount
          nodes { name: value(field: "name") }
        }
      }
    `,
    least: 1,
    because: 'one page',
  },
  {
    name: 'a list of 100 with form and owner',
    query: `
      {
        instances(formId: "thing", first: 100) {
          nodes {
            name: value(field: "name")
            form { name }
            reference(field: "owner") { name: value(field: "name") }
          }
        }
      }
    `,
    least: 3,
    because: 'the list, the form and the owners are three lists of the platform',
  },
  {
    name: 'a list of 50 with two references',
    query: `
      {
        instances(formId: "purchase-request", first: 50) {
          nodes {
            supplier: reference(field: "supplier") { name: value(field: "name") }
            requester: reference(field: "requester") { name: value(field: "name") }
          }
        }
      }
    `,
    least: 4,
    because: 'the list, the definition with the targets of the references, and two lists',
  },
  {
    name: 'a list of 20 with nested references',
    query: `
      {
        instances(formId: "expense", first: 20) {
          nodes {
            employee: reference(field: "employee") { name: value(field: "name") }
            purchase: reference(field: "purchaseRequest") {
              title: value(field: "title")
              supplier: reference(field: "supplier") { name: value(field: "name") }
            }
          }
        }
      }
    `,
    least: 6,
    because: 'four lists and two definitions; the first definition names the second form',
  },
  {
    name: 'references three deep within one form',
    query: `
      {
        instances(formId: "employee", first: 12) {
          nodes {
            reference(field: "manager") {
              reference(field: "manager") { name: value(field: "name") }
            }
          }
        }
      }
    `,
    least: 2,
    because: 'the page has every referenced instance, and the definition names their form',
  },
  {
    name: 'an instance with a reference',
    query: `
      {
        instance(formId: "thing", instanceId: 7) {
          name: value(field: "name")
          reference(field: "owner") { name: value(field: "name") }
        }
      }
    `,
    least: 3,
    because: 'two instances, and the definition with the target of the reference',
  },
  {
    name: 'five instances by aliases',
    query: `
      {
        a: instance(formId: "thing", instanceId: 1) { instanceId }
        b: instance(formId: "thing", instanceId: 2) { instanceId }
        c: instance(formId: "thing", instanceId: 3) { instanceId }
        d: instance(formId: "thing", instanceId: 4) { instanceId }
        e: instance(formId: "thing", instanceId: 1) { name: value(field: "name") }
      }
    `,
    least: 1,
    because: 'one list searches by several ids',
  },
  {
    name: 'six nodes by global ids',
    query: `
      query ($a: ID!, $b: ID!, $c: ID!, $d: ID!, $e: ID!, $f: ID!) {
        a: node(id: $a) { ...shown }
        b: node(id: $b) { ...shown }
        c: node(id: $c) { ...shown }
        d: node(id: $d) { ...shown }
        e: node(id: $e) { ...shown }
        f: node(id: $f) { ...shown }
      }
      fragment shown on Node { ... on Instance { instanceId } ... on Form { name } }
    `,
    variables: () => ({
      a: nodeId('Instance', 'thing', '1'),
      b: nodeId('Instance', 'thing', '2'),
      c: nodeId('Instance', 'thing', '3'),
      d: nodeId('Instance', 'owner', '1'),
      e: nodeId('Form', 'thing'),
      f: nodeId('Form', 'owner'),
    }),
    least: 3,
    because: 'the nodes are in three lists',
  },
  {
    name: 'a page that straddles two of the platform',
    query: `
      query ($after: String!) {
        instances(formId: "thing", first: 20, after: $after) { nodes { instanceId } }
      }
    `,
    variables: () => ({ after: cursor(9) }),
    least: 1,
    because: 'a page of 30 contains it',
  },
  {
    name: 'a page that no single page holds',
    query: `
      query ($after: String!) {
        instances(formId: "thing", first: 90, after: $after) { nodes { instanceId } }
      }
    `,
    variables: () => ({ after: cursor(29) }),
    least: 2,
    because: 'the last row is 120, and the platform’s pages have 100 rows',
  },
  {
    name: 'the same list twice, once for its total',
    query: `
      {
        a: instances(formId: "thing") { nodes { instanceId } }
        b: instances(formId: "thing") { totalCount }
      }
    `,
    least: 1,
    because: 'one page has both',
  },
  {
    name: 'three totals',
    query: `
      {
        a: instances(formId: "thing", first: 1) { totalCount }
        b: instances(formId: "owner", first: 1) { totalCount }
        c: instances(formId: "expense", first: 1) { totalCount }
      }
    `,
    least: 3,
    because: 'three lists, one call each',
  },
  {
    name: 'a list by a condition on its references',
    query: `
      {
        purchaseRequests(where: { supplier: { where: { country: { eq: DE } } } }) {
          nodes { title }
        }
      }
    `,
    isTyped: true,
    least: 2,
    because: 'the matching suppliers, and the list that is searched by their ids',
  },
  {
    name: 'counts of four options',
    query: '{ purchaseRequestCounts(by: STATUS) { value count } }',
    isTyped: true,
    least: 4,
    because: 'a list has one total',
  },
  {
    name: 'all six forms with their first instances',
    query: '{ forms { nodes { name instances(first: 5) { nodes { instanceId } } } } }',
    least: 7,
    because: 'the forms, and one list for each form',
  },
  {
    name: 'a rule twice',
    query: `
      {
        a: rule(component: "approval-level", version: "1.0") { descriptiveName }
        b: rule(component: "approval-level", version: "1.0") { descriptiveName }
      }
    `,
    least: 1,
    because: 'one getParameters',
  },
];

/**
 * Mutations. The interface answers PUT and PATCH without a body, so reading the result costs a
 * call.
 */
const CHANGES: readonly Operation[] = [
  {
    name: 'an update',
    query: `mutation { ${update('a', '__typename')} }`,
    least: 1,
    because: 'the PATCH',
  },
  {
    name: 'an update that is read back',
    query: `mutation { ${update('a', NAME_OF_INSTANCE)} }`,
    least: 2,
    because: 'the PATCH does not return the instance',
  },
  {
    name: 'two updates of one instance, both read back',
    query: `mutation { ${update('a', NAME_OF_INSTANCE)} ${update('b', NAME_OF_INSTANCE)} }`,
    least: 4,
    because: 'the updates run one after the other, and each payload shows its own result',
  },
  {
    name: 'an update with expected values',
    query: `
      mutation {
        updateInstance(
          input: { formId: "thing", instanceId: 5, values: { name: "a" }, expected: { owner: 5 } }
        ) {
          __typename
        }
      }
    `,
    least: 2,
    because: 'the instance is compared before the PATCH',
  },
  {
    name: 'a new instance with its values and form',
    query: `
      mutation {
        createInstance(input: { formId: "owner", values: { name: "new" } }) {
          instance { name: value(field: "name") form { name } }
        }
      }
    `,
    least: 2,
    because: 'the POST returns the values, and getForm the form',
  },
  {
    name: 'a deletion',
    query: `
      mutation ($id: ID!) {
        deleteInstance(input: { formId: "expense", instanceId: $id }) { deletedId }
      }
    `,
    variables: (turn) => ({ id: String(turn + 1) }),
    least: 1,
    because: 'the DELETE',
  },
  {
    name: 'a case',
    query: `
      mutation {
        startCase(
          input: { process: "purchase-approval", values: { title: "Lamps", amount: 120 } }
        ) {
          case { __typename }
        }
      }
    `,
    least: 1,
    because: 'the POST',
  },
  {
    name: 'a rule executed',
    query: `
      mutation {
        executeRule(
          input: {
            component: "approval-level"
            version: "1.0"
            parameters: [{ name: "amount", type: "decimal", value: 300 }]
          }
        ) {
          __typename
        }
      }
    `,
    least: 1,
    because: 'the PUT',
  },
];

/** All operations of the table. */
export const OPERATIONS: readonly Operation[] = [...READS, ...CHANGES];
