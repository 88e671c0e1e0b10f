import { beforeEach, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

const SUPPLIER = { name: 'Blue Harbour Paper', country: 'PT', rating: 4.5, active: true };
const CREATE =
  'createInstance(input: { formId: "supplier", values: $values }) { instance { id instanceId values } }';

const gateway = shareGateway();
let supplier: { readonly id: string; readonly instanceId: string };
beforeEach(async () => {
  supplier = (await change(CREATE, SUPPLIER)).createInstance.instance;
  gateway.calls.length = 0;
});

/** Runs a mutation and returns its data. `ONE` in the input stands for the supplier. */
function change(mutation: string, values: object = {}) {
  const one = `formId: "supplier", instanceId: ${supplier?.instanceId}`;
  const head = mutation.includes('$values') ? 'mutation ($values: JSONObject!)' : 'mutation';
  return gateway.dataOf(`${head} { ${mutation.replaceAll('ONE', one)} }`, { values });
}

it('createInstance returns the new instance from the create response', async () => {
  const { createInstance } = await change(CREATE, SUPPLIER);

  expect(createInstance.instance.values).toMatchObject(SUPPLIER);
  expect(gateway.calls).toEqual(['createFormIntance']);
});

it('20 equal mutations at once each run', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => change(CREATE, SUPPLIER)));

  expect(new Set(made.map(({ createInstance }) => createInstance.instance.id)).size).toBe(20);
  expect(gateway.calls).toEqual(Array(20).fill('createFormIntance'));
});

it('replaceInstance clears optional fields that are not named, and reads back', async () => {
  const values = { name: 'Blue Harbour', country: 'ES', active: false };

  const { replaceInstance } = await change(
    'replaceInstance(input: { ONE, values: $values }) { instance { values } }',
    values,
  );

  expect(replaceInstance.instance.values).toMatchObject({ ...values, rating: null });
  expect(gateway.calls).toEqual(['updateFormIntance', 'getFormIntance']);
});

it('updateInstance leaves fields of an omitted variable alone, and clears fields set to null', async () => {
  const mutation = `mutation ($rating: JSON) {
    updateInstance(input: { formId: "supplier", instanceId: ${supplier.instanceId}, values: { rating: $rating } }) { instance { value(field: "rating") } }
  }`;

  const omitted = await gateway.dataOf(mutation);
  const cleared = await gateway.dataOf(mutation, { rating: null });

  expect(omitted.updateInstance.instance).toEqual({ value: SUPPLIER.rating });
  expect(cleared.updateInstance.instance).toEqual({ value: null });
});

it('updateInstance does not read the instance back where only its ids are selected', async () => {
  const ids = 'instance { __typename id instanceId formId }';

  await change(`updateInstance(input: { ONE, values: $values }) { ${ids} }`, { rating: 2 });

  expect(gateway.calls).toEqual(['updateValuesOfFormIntance']);
});

it('updateInstance reads afresh after each write of one operation', async () => {
  const update = (rating: number) =>
    `updateInstance(input: { ONE, values: { rating: ${rating} } }) { instance { value(field: "rating") } }`;

  const data = await change(`a: ${update(1)} b: ${update(2)}`);

  expect(data).toEqual({ a: { instance: { value: 1 } }, b: { instance: { value: 2 } } });
});

it('deleteInstance returns the global id of the deleted instance', async () => {
  const { id } = supplier;

  expect(await change('deleteInstance(input: { ONE }) { deletedId }')).toEqual({
    deleteInstance: { deletedId: id },
  });
  expect(await gateway.dataOf(`{ node(id: "${id}") { id } }`)).toEqual({ node: null });
});

it('a case starts at an activity and advances to the next, and rejects one that is not current', async () => {
  const payload = '{ case { caseId activity { activityId } record } }';
  const { startCase } = await change(
    `startCase(input: { process: "purchase-approval", values: $values }) ${payload}`,
    { title: 'Desk lamps', amount: 120 },
  );
  const { caseId, activity } = startCase.case;
  const input = `{ caseId: "${caseId}", activityId: "${activity.activityId}" }`;
  const execute = `executeActivity(input: ${input}) ${payload}`;

  const { case: advanced } = (await change(execute)).executeActivity;
  const { errors } = await gateway.execute(`mutation { ${execute} }`);

  expect(BigInt(caseId)).toBeGreaterThan(2n ** 53n);
  expect(advanced).toMatchObject({ caseId, record: { idCase: caseId } });
  expect(advanced.activity?.activityId).not.toBe(activity.activityId);
  expect(errors).toMatchObject([
    { path: ['executeActivity'], extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  expect(gateway.calls).toEqual([
    'startCase',
    'executeCurrentActivity',
    'executeCurrentActivity 400',
  ]);
});

it('a rule is executed with parameters', async () => {
  const { executeRule } = await change(`executeRule(input: {
    component: "approval-level", version: "1.0", parameters: [{ name: "amount", type: "decimal", value: 250.5 }]
  }) { outputs { name type value } }`);

  expect(executeRule.outputs).toContainEqual({ name: 'level', type: 'integer', value: 1 });
});
