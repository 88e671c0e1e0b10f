import { describe, expect, it } from 'vitest';

import { startWithRoles } from '../features/roles/support.ts';
import { shareGateway, startGateway } from '../support/gateway.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const gateway = shareGateway({ TYPED_FORMS: '*' });

const FORM = `{ form(formId: "purchase-request") {
  typeName
  can { create }
  fields {
    name graphqlName label description type required isMultiple unit min max maxLength default
    options { value label enumValue }
    reference { formId typeName }
  }
} }`;

interface Field {
  readonly name: string;
  readonly graphqlName: string;
  readonly required: boolean;
  readonly options: readonly { readonly enumValue: string }[] | null;
  readonly reference: object | null;
}
const fieldOf = (form: { readonly fields: readonly Field[] }, name: string) =>
  form.fields.find((field) => field.name === name);

describe('the metadata of a form', () => {
  it('has all that a generated control needs', async () => {
    const { form } = await gateway.dataOf(FORM);

    expect(form).toMatchObject({ typeName: 'PurchaseRequest', can: { create: true } });
    expect(fieldOf(form, 'quantity')).toEqual({
      name: 'quantity',
      graphqlName: 'quantity',
      label: 'Quantity',
      description: null,
      type: 'integer',
      required: true,
      isMultiple: null,
      unit: null,
      min: 1,
      max: null,
      maxLength: null,
      default: 1,
      options: null,
      reference: null,
    });
    expect(fieldOf(form, 'status')).toMatchObject({
      default: 'draft',
      options: expect.arrayContaining([{ value: 'draft', label: null, enumValue: 'DRAFT' }]),
    });
    expect(fieldOf(form, 'supplier')).toMatchObject({
      reference: { formId: 'supplier', typeName: 'Supplier' },
    });
    expect(fieldOf(form, 'title')).toMatchObject({ maxLength: 120 });
    expect(fieldOf(form, 'amount')).toMatchObject({ unit: 'EUR', min: 0 });
    expect(fieldOf(form, 'neededBy')).toMatchObject({
      description: 'Without a date any day will do.',
    });
  });

  it('names an input that the graph accepts', async () => {
    const { form } = await gateway.dataOf(FORM);
    const values: Record<string, unknown> = {};
    for (const { graphqlName, options, reference, required } of form.fields as readonly Field[])
      if (required) values[graphqlName] = options?.[0]?.enumValue ?? (reference ? '1' : '3');

    const { createPurchaseRequest } = await gateway.dataOf(
      `mutation ($values: Create${form.typeName}Values!) {
        create${form.typeName}(input: { values: $values }) { instance { quantity } }
      }`,
      { values: { ...values, quantity: 3 } },
    );

    expect(createPurchaseRequest.instance.quantity).toBe('3');
  });

  it('has no names of the graph without types of forms', async () => {
    const generic = await startGateway({ TYPED_FORMS: 'none' });

    const { form } = await generic.dataOf(FORM);

    expect(form.typeName).toBeNull();
    expect(fieldOf(form, 'quantity')).toMatchObject({ graphqlName: null, min: 1 });
    expect(fieldOf(form, 'supplier')).toMatchObject({
      reference: { formId: 'supplier', typeName: null },
    });
  });

  it('names no type of a form that the role may not look at', async () => {
    const { ask } = await startWithRoles();

    const { data } = await ask('web', FORM);

    expect(data.form.typeName).toBe('PurchaseRequest');
    expect(fieldOf(data.form, 'supplier')).toMatchObject({ reference: { typeName: 'Supplier' } });
    expect(fieldOf(data.form, 'requester')).toMatchObject({
      reference: { formId: 'employee', typeName: null },
    });
  });

  const link = (rel: string, method: string) => ({ rel, href: `/v1.0/forms/f/${rel}`, method });

  it.each([
    [[], null],
    [[link('instances', 'POST')], { create: true }],
    [[link('instances', 'GET')], { create: false }],
    [[link('export', 'POST')], { create: false }],
  ])('tells by the links %j whether the caller may create', async (links, can) => {
    const { env } = await scriptPlatform(() => ({ body: { idForm: 'f', fields: [], links } }));
    const { dataOf } = await startGateway(env);

    expect(await dataOf('{ form(formId: "f") { can { create } } }')).toEqual({ form: { can } });
  });
});
