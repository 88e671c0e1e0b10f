import { beforeAll, describe, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const gateway = shareGateway({ TYPED_FORMS: '*' });
let ids: { readonly form: string; readonly supplier: string; readonly employee: string };
beforeAll(async () => {
  const { form, supplier, employee } = await gateway.dataOf(
    '{ form(formId: "supplier") { id } supplier(instanceId: 6) { id } employee(instanceId: 1) { id } }',
  );
  ids = { form: form.id, supplier: supplier.id, employee: employee.id };
});

it('reads accept global ids in place of the platform’s', async () => {
  const data = await gateway.dataOf(
    `query ($form: ID!, $supplier: ID!) {
      form(formId: $form) { formId instance(instanceId: $supplier) { instanceId } }
      instance(formId: $form, instanceId: $supplier) { instanceId }
      instances(formId: $form, first: 1) { nodes { formId } }
      supplier(instanceId: $supplier) { instanceId }
      purchaseRequests(where: { supplier: { in: [$supplier] } }, first: 1) { nodes { supplier { instanceId } } }
      suppliers(where: { instanceId: { eq: $supplier } }) { nodes { instanceId } }
    }`,
    ids,
  );

  const instance = { instanceId: '6' };
  expect(data).toEqual({
    form: { formId: 'supplier', instance },
    instance,
    instances: { nodes: [{ formId: 'supplier' }] },
    supplier: instance,
    purchaseRequests: { nodes: [{ supplier: instance }] },
    suppliers: { nodes: [instance] },
  });
  // The instance once for all who ask for it, and each list.
  expect(gateway.calls.filter((call) => call === 'getFormIntance')).toHaveLength(1);
});

it('generic lists are searched by global ids, of instances, forms and references', async () => {
  const where = (field: string, operator: string) =>
    `[{ field: "${field}", operator: ${operator}, value: $supplier }]`;

  const data = await gateway.dataOf(
    `query ($supplier: JSON!, $form: JSON!) {
      one: instances(formId: "supplier", where: ${where('idInstance', 'EQ')}) { nodes { instanceId } }
      listed: instances(formId: "supplier", where: ${where('idInstance', 'IN')}) { nodes { instanceId } }
      nested: form(formId: "supplier") {
        instances(where: ${where('idInstance', 'EQ')}) { nodes { instanceId } }
      }
      referring: instances(formId: "purchase-request", where: ${where('supplier', 'EQ')}) { totalCount }
      same: purchaseRequests(where: { supplier: { eq: "6" } }) { totalCount }
      forms(where: [{ field: "idForm", operator: EQ, value: $form }]) { nodes { formId } }
    }`,
    ids,
  );

  const nodes = [{ instanceId: '6' }];
  expect(data).toEqual({
    one: { nodes },
    listed: { nodes },
    nested: { instances: { nodes } },
    referring: data.same,
    same: { totalCount: expect.any(Number) },
    forms: { nodes: [{ formId: 'supplier' }] },
  });
  expect(data.same.totalCount).toBeGreaterThan(0);
});

it('mutations accept global ids, which are the same input for an idempotency key', async () => {
  const update = (formId: string, instanceId: string) =>
    gateway.dataOf(
      `mutation ($input: UpdateInstanceInput!) { updateInstance(input: $input) { instance { value(field: "name") } } }`,
      { input: { formId, instanceId, values: { name: 'New name' }, idempotencyKey: 'k' } },
    );

  const first = await update(ids.form, ids.supplier);

  expect(await update('supplier', '6')).toEqual(first);
  expect(gateway.calls.filter((call) => call === 'updateValuesOfFormIntance')).toHaveLength(1);
});

it('generic mutations accept global ids for references, where the form’s type is known', async () => {
  const { updateInstance } = await gateway.dataOf(
    `mutation ($values: JSONObject!) {
      updateInstance(input: { formId: "purchase-request", instanceId: 41, values: $values }) {
        instance { value(field: "supplier") reference(field: "supplier") { instanceId } }
      }
    }`,
    { values: { supplier: ids.supplier, title: 'New title' } },
  );

  expect(updateInstance.instance).toEqual({ value: 6, reference: { instanceId: '6' } });
});

describe('an id of another form, or none, is a violation at its place', () => {
  const OTHER_TYPE = 'is an Employee, must be a Supplier';
  const OTHER_FORM = 'is of the form "employee", must be of "supplier"';
  const NO_FORM = 'is a global id, but not of a form';
  const NONE = 'must be an id of the platform, an integer, or a global id';
  const VALUES = 'title: "x", amount: 1, quantity: 1, status: DRAFT, requester: 1';
  const criterion = (field: string, operator = 'EQ') =>
    `where: [{ field: "name", operator: NE, value: "x" }, { field: "${field}", operator: ${operator}, value: ID }]`;

  it.each([
    ['suppliers(where: { instanceId: { eq: ID } })', ['where', 'instanceId', 'eq'], OTHER_TYPE],
    [
      'suppliers(where: { instanceId: { notIn: [1, ID] } })',
      ['where', 'instanceId', 'notIn'],
      OTHER_TYPE,
    ],
    [
      'purchaseRequests(where: { supplier: { in: [ID] } })',
      ['where', 'supplier', 'in'],
      OTHER_TYPE,
    ],
    [
      'expenses(where: { purchaseRequest: { where: { supplier: { ne: ID } } } })',
      ['where', 'purchaseRequest', 'where', 'supplier', 'ne'],
      OTHER_TYPE,
    ],
    [
      `instances(formId: "supplier", ${criterion('idInstance')})`,
      ['where', 1, 'value'],
      OTHER_FORM,
    ],
    [
      `instances(formId: "supplier", ${criterion('idInstance', 'IN')})`,
      ['where', 1, 'value'],
      OTHER_FORM,
    ],
    [
      `instances(formId: "purchase-request", ${criterion('supplier')})`,
      ['where', 1, 'value'],
      OTHER_FORM,
    ],
  ])('in a filter: %s', async (field, path, message) => {
    const violationsOf = async (id: string) => {
      const query = `{ ${field.replace('ID', JSON.stringify(id))} { totalCount } }`;
      const { errors } = await gateway.execute(query);
      return errors?.map(({ extensions }) => extensions['violations']);
    };

    expect(await violationsOf(ids.employee)).toEqual([[{ path, constraint: 'kind', message }]]);
    expect(gateway.calls).toEqual([]);
    // Whether a text is a reference is up to the platform, as in generic mutations.
    if (field.includes('"supplier", operator')) return;
    expect(await violationsOf('abc')).toEqual([[{ path, constraint: 'kind', message: NONE }]]);
    expect(gateway.calls).toEqual([]);
  });

  it.each([
    ['{ supplier(instanceId: ID) { name } }', ['instanceId'], OTHER_FORM],
    ['{ instance(formId: "supplier", instanceId: ID) { id } }', ['instanceId'], OTHER_FORM],
    ['{ form(formId: ID) { name } }', ['formId'], NO_FORM],
    [
      'mutation { deleteInstance(input: { formId: "supplier", instanceId: ID }) { deletedId } }',
      ['input', 'instanceId'],
      OTHER_FORM,
    ],
    [
      'mutation { updateInstance(input: { formId: ID, instanceId: 1, values: {} }) { __typename } }',
      ['input', 'formId'],
      NO_FORM,
    ],
    [
      `mutation { createPurchaseRequest(input: { values: { ${VALUES}, supplier: ID } }) { __typename } }`,
      ['input', 'values', 'supplier'],
      OTHER_TYPE,
    ],
    [
      'mutation { updatePurchaseRequest(input: { instanceId: 1, values: {}, expected: { supplier: ID } }) { __typename } }',
      ['input', 'expected', 'supplier'],
      OTHER_TYPE,
    ],
    [
      'mutation { updatePurchaseRequest(input: { instanceId: 1, values: {}, expected: { supplier: "x" } }) { __typename } }',
      ['input', 'expected', 'supplier'],
      NONE,
    ],
    [
      'mutation { updateInstance(input: { formId: "purchase-request", instanceId: 1, values: { supplier: ID } }) { __typename } }',
      ['input', 'values', 'supplier'],
      OTHER_TYPE,
    ],
    [
      'mutation { updateInstance(input: { formId: "purchase-request", instanceId: 1, values: {}, expected: { supplier: ID } }) { __typename } }',
      ['input', 'expected', 'supplier'],
      OTHER_TYPE,
    ],
  ])('in an argument or an input: %s', async (document, path, message) => {
    const { errors } = await gateway.execute(document.replace('ID', `"${ids.employee}"`));

    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(message),
        extensions: { code: 'BAD_USER_INPUT', violations: [{ path, constraint: 'kind', message }] },
      },
    ]);
    expect(gateway.calls).toEqual([]);
  });

  it('in an item of a bulk write', async () => {
    const { updateInstances } = await gateway.dataOf(
      `mutation ($items: [UpdateInstancesItem!]!) {
        updateInstances(input: { formId: "supplier", items: $items }) { results { error { violations } } }
      }`,
      { items: [{ instanceId: ids.employee, values: {} }] },
    );

    const violations = [{ path: ['instanceId'], constraint: 'kind', message: OTHER_FORM }];
    expect(updateInstances.results).toEqual([{ error: { violations } }]);
    expect(gateway.calls).toEqual([]);
  });
});
