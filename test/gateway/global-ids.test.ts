import { beforeAll, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const gateway = shareGateway({ TYPED_FORMS: '*' });
let ids: { readonly form: string; readonly supplier: string; readonly employee: string };
beforeAll(async () => {
  const { data } = await gateway.execute(
    '{ form(formId: "supplier") { id } supplier(instanceId: 6) { id } employee(instanceId: 1) { id } }',
  );
  ids = { form: data.form.id, supplier: data.supplier.id, employee: data.employee.id };
});

it('reads accept global ids in place of the platform’s', async () => {
  const { dataOf, calls } = gateway;

  const data = await dataOf(
    `query ($form: ID!, $supplier: ID!) {
      form(formId: $form) { formId instance(instanceId: $supplier) { instanceId } }
      instance(formId: $form, instanceId: $supplier) { instanceId }
      instances(formId: $form, first: 1) { nodes { formId } }
      supplier(instanceId: $supplier) { instanceId }
      purchaseRequests(where: { supplier: { in: [$supplier] } }, first: 1) { nodes { supplier { instanceId } } }
      suppliers(where: { instanceId: { eq: $supplier } }) { nodes { instanceId } }
    }`,
    { form: ids.form, supplier: ids.supplier },
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
  expect(calls.filter((call) => call === 'getFormIntance')).toHaveLength(1);
});

it('mutations accept global ids, which are the same input for an idempotency key', async () => {
  const { execute, calls } = gateway;
  const update = (formId: string, instanceId: string) =>
    execute(
      `mutation ($input: UpdateInstanceInput!) { updateInstance(input: $input) { instance { value(field: "name") } } }`,
      { input: { formId, instanceId, values: { name: 'New name' }, idempotencyKey: 'k' } },
    );

  const first = await update(ids.form, ids.supplier);
  const second = await update('supplier', '6');

  expect(first.errors).toBeUndefined();
  expect(second.data).toEqual(first.data);
  expect(calls.filter((call) => call === 'updateValuesOfFormIntance')).toHaveLength(1);
});

it('generic mutations accept global ids for references, where the form’s type is known', async () => {
  const { execute } = gateway;
  const update = (supplier: string) =>
    execute(
      `mutation ($values: JSONObject!) {
        updateInstance(input: { formId: "purchase-request", instanceId: 41, values: $values }) {
          instance { value(field: "supplier") reference(field: "supplier") { instanceId } }
        }
      }`,
      { values: { supplier, title: 'New title' } },
    );

  const changed = await update(ids.supplier);
  const rejected = await update(ids.employee);

  expect(changed.errors).toBeUndefined();
  expect(changed.data.updateInstance.instance).toEqual({
    value: 6,
    reference: { instanceId: '6' },
  });
  expect(rejected.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
});

it('the global id of another type is rejected without a call', async () => {
  const { execute, calls } = gateway;
  const queries = [
    `{ form(formId: "${ids.supplier}") { name } }`,
    `{ supplier(instanceId: "${ids.employee}") { name } }`,
    `{ instance(formId: "employee", instanceId: "${ids.supplier}") { id } }`,
    `{ suppliers(where: { instanceId: { eq: "${ids.employee}" } }) { totalCount } }`,
    `mutation { deleteInstance(input: { formId: "employee", instanceId: "${ids.supplier}" }) { deletedId } }`,
    `mutation { updatePurchaseRequest(input: { instanceId: 41, values: { supplier: "${ids.employee}" } }) { __typename } }`,
  ];

  for (const query of queries) {
    expect((await execute(query)).errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  }
  expect(calls).toEqual([]);
});
