import { expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { type Env, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';

const FIELD = { name: 'Row number', label: 'Row', type: 'integer' };

/** A gateway before a platform that has these forms, and refuses each instance for its row. */
async function startForms(formIds: readonly string[], env: Env = {}) {
  const forms = formIds.map((idForm) => ({ idForm, name: idForm, fields: [FIELD] }));
  const platform = await scriptPlatform(({ method, url }) => {
    if (method === 'POST')
      return { status: 400, body: { message: 'No.', errors: { 'Row number': 'is taken' } } };
    const form = forms.find(({ idForm }) => url.startsWith(`/v1.0/forms/${idForm}`));
    return { body: form ?? forms };
  });
  return startGateway({ ...platform.env, TYPED_FORMS: '*', ...env });
}

/** Returns the types of the mutations by name. */
async function mutations(...given: Parameters<typeof startForms>) {
  const { dataOf } = await startForms(...given);
  const { __schema } = await dataOf(
    '{ __schema { mutationType { fields { name type { name } } } } }',
  );
  const fields: readonly { name: string; type: object }[] = __schema.mutationType.fields;
  return Object.fromEntries(fields.map(({ name, type }) => [name, type]));
}

it('names them by the forms alone, in whatever order these come', async () => {
  const forms = ['order', 'orders'];

  const [one, other] = await Promise.all([mutations(forms), mutations(forms.toReversed())]);

  const names = Object.keys(one).filter((name) => name.startsWith('createOrder'));
  expect(names.sort()).toEqual([
    'createOrder',
    'createOrders',
    'createOrdersInstances',
    expect.stringMatching(/^createOrders_[0-9a-f]{8}$/),
  ]);
  expect(one).toMatchObject({ createOrders: { name: 'CreateOrdersPayload' } });
  expect(other).toEqual(one);
});

it('leaves a name to the field of an extension that has it', async () => {
  const folder = writeFolder({
    'own.ts': `export default {
      typeDefs: 'extend type Mutation { createOrders: Int }',
      resolvers: { Mutation: { createOrders: () => 1 } },
    };`,
  });

  const fields = await mutations(['order'], { EXTENSIONS: folder });

  expect(fields).toMatchObject({
    createOrders: { name: 'Int' },
    createOrders_: { name: 'CreateOrdersPayload_' },
  });
});

it('names refused values by the graph’s names', async () => {
  const { dataOf } = await startForms(['order']);

  const { createOrders } = await dataOf(`mutation {
    createOrders(input: { items: [{ values: { rowNumber: 1 } }] }) { results { status error { message violations } } }
  }`);

  const violation = { path: ['values', 'rowNumber'], constraint: 'platform', message: 'is taken' };
  expect(createOrders.results).toEqual([
    { status: 'FAILED', error: { message: 'No.', violations: [violation] } },
  ]);
});
