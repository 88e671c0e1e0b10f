import { describe, expect, it } from 'vitest';

import { startCountedGateway } from '../support/gateway.ts';

const CREATE = `mutation ($values: JSONObject!) {
  createInstance(input: { formId: "supplier", values: $values }) { instance { id instanceId values } }
}`;
const SUPPLIER = { name: 'Blue Harbour Paper', country: 'PT', rating: 4.5, active: true };

async function withSupplier() {
  const gateway = await startCountedGateway();
  const { data, errors } = await gateway.execute(CREATE, { values: SUPPLIER });
  expect(errors).toBeUndefined();
  const { id, instanceId } = data.createInstance.instance;
  gateway.calls.length = 0;
  return { ...gateway, id: id as string, instanceId: instanceId as string };
}

describe('Mutation.createInstance', () => {
  it('returns the new instance from the create response', async () => {
    const { execute, calls } = await startCountedGateway();

    const { data } = await execute(CREATE, { values: SUPPLIER });

    expect(data.createInstance.instance.values).toMatchObject(SUPPLIER);
    expect(calls).toEqual(['getToken', 'createFormIntance']);
  });
});

describe('Mutation.replaceInstance', () => {
  it('clears optional fields that are not named, and reads back only selected fields', async () => {
    const { execute, calls, instanceId } = await withSupplier();
    const values = { name: 'Blue Harbour', country: 'ES', active: false };

    const { data } = await execute(
      `mutation ($input: ReplaceInstanceInput!) { replaceInstance(input: $input) { instance { values } } }`,
      { input: { formId: 'supplier', instanceId, values } },
    );

    expect(data.replaceInstance.instance.values).toMatchObject({ ...values, rating: null });
    expect(calls).toEqual(['updateFormIntance', 'getFormIntance']);
  });
});

describe('Mutation.updateInstance', () => {
  const UPDATE = (selection: string) =>
    `mutation ($input: UpdateInstanceInput!) { updateInstance(input: $input) { ${selection} } }`;

  it('leaves fields of an omitted variable alone, and clears fields set to null', async () => {
    const { execute, instanceId } = await withSupplier();
    const mutation = `mutation ($rating: JSON) {
      updateInstance(input: { formId: "supplier", instanceId: ${instanceId}, values: { rating: $rating } }) { instance { value(field: "rating") } }
    }`;

    expect((await execute(mutation)).data.updateInstance.instance).toEqual({ value: SUPPLIER.rating });
    expect((await execute(mutation, { rating: null })).data.updateInstance.instance).toEqual({ value: null });
  });

  it('does not read the instance back when it is not selected', async () => {
    const { execute, calls, instanceId } = await withSupplier();

    const { errors } = await execute(UPDATE('__typename'), {
      input: { formId: 'supplier', instanceId, values: { rating: 2 } },
    });

    expect(errors).toBeUndefined();
    expect(calls).toEqual(['updateValuesOfFormIntance']);
  });

  it('reads afresh after each write of one operation', async () => {
    const { execute, instanceId } = await withSupplier();
    const change = (rating: number) =>
      `updateInstance(input: { formId: "supplier", instanceId: ${instanceId}, values: { rating: ${rating} } }) { instance { value(field: "rating") } }`;

    const { data } = await execute(`mutation { a: ${change(1)} b: ${change(2)} }`);

    expect(data).toEqual({ a: { instance: { value: 1 } }, b: { instance: { value: 2 } } });
  });
});

describe('Mutation.deleteInstance', () => {
  it('returns the global id of the deleted instance', async () => {
    const { execute, id, instanceId } = await withSupplier();

    const { data } = await execute(
      'mutation ($input: DeleteInstanceInput!) { deleteInstance(input: $input) { deletedId } }',
      {
        input: { formId: 'supplier', instanceId },
      },
    );

    expect(data).toEqual({ deleteInstance: { deletedId: id } });
    expect((await execute('query ($id: ID!) { node(id: $id) { id } }', { id })).data).toEqual({ node: null });
  });
});
