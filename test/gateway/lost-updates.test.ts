import { beforeEach, describe, expect, it } from 'vitest';

import { startAgedGateway } from '../support/aged-gateway.ts';
import { shareGateway, startGateway } from '../support/gateway.ts';
import { planOf } from '../support/plan.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';

const gateway = shareGateway({ TYPED_FORMS: '*', CACHE_INSTANCES_MS: '60000' });

/** The global id of an instance of another form. */
const EMPLOYEE = Buffer.from('["Instance","employee","1"]').toString('base64url');

/** The id of a new purchase request. */
let id = '';
beforeEach(async () => {
  const { createPurchaseRequest } = await gateway.dataOf(`mutation {
    createPurchaseRequest(input: { values: {
      title: "Lamps", amount: "12.50", quantity: 2, status: DRAFT, requester: 1, supplier: 3
      neededBy: "2026-03-01"
    } }) { instance { instanceId } }
  }`);
  id = createPurchaseRequest.instance.instanceId;
  gateway.calls.length = 0;
});

const update = (expected: string, selection = 'title status', typed = 'purchase-request') =>
  typed === 'purchase-request'
    ? gateway.execute(`mutation {
        updatePurchaseRequest(input: {
          instanceId: ${id}, values: { title: "Lights" }, expected: { ${expected} }
        }) { instance { ${selection} } }
      }`)
    : gateway.execute(`mutation {
        updateInstance(input: {
          formId: "purchase-request", instanceId: ${id}
          values: { title: "Lights" }, expected: { ${expected} }
        }) { instance { ${selection} } }
      }`);

const updateGeneric = (expected: string, selection = 'values') =>
  update(expected, selection, 'generic');

describe('a change with expected values', () => {
  it.each([
    ['status: DRAFT'],
    ['title: "Lamps", quantity: 2, amount: "12.5"'],
    ['supplier: 3, requester: "1", neededBy: "2026-03-01"'],
    ['notes: null, urgent: null'],
  ])('is sent if the instance has them: %s', async (expected) => {
    const { data, errors } = await update(expected, '__typename');

    expect(errors).toBeUndefined();
    expect(data.updatePurchaseRequest.instance).toEqual({ __typename: 'PurchaseRequest' });
    expect(gateway.calls).toEqual(['getFormIntance', 'updateValuesOfFormIntance']);
  });

  it.each([
    ['status: "draft"'],
    ['amount: 12.5, quantity: "2"'],
    ['amount: "12.50", supplier: "3"'],
    ['notes: null'],
  ])('is sent from the generic graph if the instance has them: %s', async (expected) => {
    const { errors } = await updateGeneric(expected, '__typename');

    expect(errors).toBeUndefined();
    expect(gateway.calls).toEqual(['getFormIntance', 'updateValuesOfFormIntance']);
  });

  it('is not sent if values differ, and returns the fields and the selected values', async () => {
    const { data, errors } = await update(
      'status: SUBMITTED, quantity: 3, title: "Lamps"',
      'state: status amount supplier { name }',
    );

    expect(data.updatePurchaseRequest).toBeNull();
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('other values than expected: quantity, status.'),
        path: ['updatePurchaseRequest'],
        extensions: expect.objectContaining({
          code: 'CONFLICT',
          retryable: false,
          violations: [
            {
              path: ['input', 'expected', 'quantity'],
              constraint: 'expected',
              message: 'has another value now',
            },
            {
              path: ['input', 'expected', 'status'],
              constraint: 'expected',
              message: 'has another value now',
            },
          ],
          current: { state: 'DRAFT', amount: '12.5', supplier: { name: expect.any(String) } },
        }),
      }),
    ]);
    expect(gateway.calls).not.toContain('updateValuesOfFormIntance');
  });

  it('is a conflict without values if a condition of the selection does not fit', async () => {
    const { errors } = await gateway.execute(
      `mutation ($no: Boolean = false) { updatePurchaseRequest(input: {
        instanceId: ${id}, values: {}, expected: { quantity: 9 }
      }) { instance { title @skip(if: $no) } } }`,
      { no: null },
    );

    expect(errors?.[0]?.extensions['code']).toBe('CONFLICT');
    expect(errors?.[0]?.extensions).not.toHaveProperty('current');
  });

  it('returns the selected values in the generic graph', async () => {
    const { errors } = await updateGeneric('status: "submitted"', 'status: value(field: "status")');

    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'CONFLICT',
      current: { status: 'draft' },
      violations: [{ path: ['input', 'expected', 'status'] }],
    });
    expect(gateway.calls).toEqual(['getFormIntance']);
  });

  it.each([
    'replacePurchaseRequest(input: { instanceId: ID, values: { title: "x", quantity: 1, status: DRAFT, requester: 1 }, expected: { quantity: 9 } }) { instance { title } }',
    'deletePurchaseRequest(input: { instanceId: ID, expected: { quantity: 9 } }) { deletedId }',
    'deleteInstance(input: { formId: "purchase-request", instanceId: ID, expected: { quantity: 9 } }) { deletedId }',
  ])('is refused as %s', async (mutation) => {
    const { errors } = await gateway.execute(`mutation { ${mutation.replace('ID', id)} }`);

    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['CONFLICT']);
    expect(gateway.calls).toEqual(['getFormIntance']);
  });

  it.each([
    ['x', 'must be an id of the platform, an integer, or a global id'],
    [EMPLOYEE, 'is an Employee, must be a Supplier'],
  ])('is BAD_USER_INPUT for the reference %s', async (supplier, message) => {
    const { errors } = await update(`status: DRAFT, supplier: "${supplier}"`);

    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      violations: [{ path: ['input', 'expected', 'supplier'], constraint: 'kind', message }],
    });
    expect(gateway.calls).toEqual([]);
  });

  it('is BAD_USER_INPUT for all names that the form does not have, and frees its key', async () => {
    const change = (expected: string) =>
      gateway.execute(`mutation { updateInstance(input: {
        formId: "purchase-request", instanceId: ${id}, values: {}, idempotencyKey: "${id} unknown"
        expected: { ${expected} }
      }) { __typename } }`);

    const refused = await change('notse: null, status: "submitted", statsu: "draft"');
    const sent = await change('notes: null');

    const unknown = { constraint: 'kind', message: 'must be a field of the form' };
    expect(refused.errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      violations: [
        { path: ['input', 'expected', 'notse'], ...unknown },
        { path: ['input', 'expected', 'statsu'], ...unknown },
      ],
    });
    expect(sent.errors).toBeUndefined();
    expect(gateway.calls).toEqual([
      'getFormIntance',
      'getFormIntance',
      'updateValuesOfFormIntance',
    ]);
  });

  it('names the item of a bulk write with a name that the form does not have', async () => {
    const { data } = await gateway.execute(`mutation { updateInstances(input: {
      formId: "purchase-request"
      items: [{ instanceId: ${id}, values: {}, expected: { notse: null } }]
    }) { results { status error { code violations } } } }`);

    expect(data.updateInstances.results).toMatchObject([
      {
        status: 'FAILED',
        error: { code: 'BAD_USER_INPUT', violations: [{ path: ['expected', 'notse'] }] },
      },
    ]);
  });

  it('needs no body of an instance that has not changed', async () => {
    const aged = await startAgedGateway({ TYPED_FORMS: '*', CACHE_INSTANCES_MS: '60000' });
    const read = await aged.execute('{ purchaseRequest(instanceId: 41) { title } }');
    aged.statuses.length = 0;

    const { errors } = await aged.execute(
      `mutation ($title: String!) { updatePurchaseRequest(input: {
        instanceId: 41, values: { title: $title }, expected: { title: $title }
      }) { __typename } }`,
      read.data.purchaseRequest,
    );

    expect(errors).toBeUndefined();
    expect(aged.statuses).toEqual([304, 202]);
  });

  it('reads past cached copies', async () => {
    const read = () => gateway.dataOf(`{ purchaseRequest(instanceId: ${id}) { title status } }`);
    await read();
    await read();
    const other = await startGateway({
      UPSTREAM_URL: gateway.origin,
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD: 'demo',
    });
    await other.dataOf(`mutation { updateInstance(input: {
      formId: "purchase-request", instanceId: ${id}, values: { status: "submitted" }
    }) { instance { id } } }`);

    const { errors } = await update('status: DRAFT');

    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'CONFLICT',
      current: { title: 'Lamps', status: 'SUBMITTED' },
    });
  });

  it('has its two calls in the plan, and one without expected values', async () => {
    const callsOf = async (expected: string) => {
      const plan = await planOf(
        gateway.url,
        `mutation { updatePurchaseRequest(input: {
          instanceId: ${id}, values: {} ${expected}
        }) { __typename } }`,
      );
      return plan.calls.most;
    };

    expect(await callsOf('expected: { quantity: 2 }')).toBe(2);
    expect(await callsOf('')).toBe(1);
  });

  it('is NOT_FOUND for an instance that does not exist', async () => {
    const { errors } = await gateway.execute(`mutation {
      deletePurchaseRequest(input: { instanceId: 999999, expected: { quantity: 1 } }) { deletedId }
    }`);

    expect(errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND' });
    expect(gateway.calls).toEqual(['getFormIntance 404']);
  });
});

describe('a change with expected values and an idempotency key', () => {
  const withKey = (key: string, expected: string) =>
    gateway.execute(`mutation { updatePurchaseRequest(input: {
      instanceId: ${id}, values: { status: SUBMITTED }, expected: { ${expected} }
      idempotencyKey: "${key}"
    }) { __typename } }`);

  it('returns the first outcome to a repeat, without a comparison', async () => {
    await withKey(`${id} first`, 'status: DRAFT');
    gateway.calls.length = 0;

    const repeated = await withKey(`${id} first`, 'status: DRAFT');

    expect(repeated.errors).toBeUndefined();
    expect(gateway.calls).toEqual([]);
  });

  it('is another mutation with other expected values', async () => {
    await withKey(`${id} second`, 'status: DRAFT');

    const repeated = await withKey(`${id} second`, 'status: SUBMITTED');

    expect(repeated.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('may use the key again after a conflict', async () => {
    const refused = await withKey(`${id} third`, 'status: SUBMITTED');
    const repeated = await withKey(`${id} third`, 'status: DRAFT');

    expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT' });
    expect(repeated.errors).toBeUndefined();
  });
});

describe('a change whose instance cannot be compared', () => {
  const startScripted = async (answer: { status?: number; body?: unknown }) => {
    const platform = await scriptPlatform(({ method }) =>
      method === 'GET' ? answer : { status: 202 },
    );
    const { execute } = await startGateway(platform.env);
    const change = (key: string) =>
      execute(`mutation { updateInstance(input: {
        formId: "f", instanceId: 1, values: { a: 1 }, expected: { a: 2 }
        idempotencyKey: "${key}"
      }) { __typename } }`);
    return { change, methods: () => platform.seen.map(({ method }) => method) };
  };

  it.each([
    [{ status: 500, body: {} }, 'UPSTREAM_ERROR', true],
    [{ body: ['nothing'] }, 'UPSTREAM_INVALID_RESPONSE', false],
    [{ status: 403, body: {} }, 'FORBIDDEN', false],
  ])('is not sent after %j', async (answer, code, retryable) => {
    const { change, methods } = await startScripted(answer);

    const first = await change('k');
    const second = await change('k');

    expect(first.errors?.[0]?.extensions).toMatchObject({ code, retryable });
    expect(second.errors?.[0]?.extensions).toMatchObject({ code });
    expect(methods()).not.toContain('PATCH');
    // It had no effect, so its outcome is not kept.
    expect(methods().length).toBeGreaterThan(1);
  });

  it.each([
    [{ a: 2, b: null }, undefined],
    [{ a: 2 }, 'BAD_USER_INPUT'],
  ])('has no definition, so an empty field must be in the instance: %j', async (values, code) => {
    const platform = await scriptPlatform(({ method }) =>
      method === 'GET' ? { body: { idInstance: 1, values } } : { status: 202 },
    );
    const { execute } = await startGateway(platform.env);

    const { errors } = await execute(`mutation { updateInstance(input: {
        formId: "f", instanceId: 1, values: { a: 1 }, expected: { a: 2, b: null }
      }) { __typename } }`);

    expect(errors?.[0]?.extensions['code']).toBe(code);
    expect(platform.seen.some(({ method }) => method === 'PATCH')).toBe(code === undefined);
  });

  it('returns the selected values that could be read, and null for the others', async () => {
    const forms = [
      {
        idForm: 'order',
        fields: [
          { name: 'title', type: 'text' },
          { name: 'total', type: 'decimal' },
          { name: 'supplier', type: 'reference', reference: 'supplier' },
        ],
      },
      { idForm: 'supplier', fields: [{ name: 'name', type: 'text' }] },
    ];
    const platform = await scriptPlatform(({ url }) => {
      if (url.includes('/forms/supplier/instances')) return { status: 403, body: {} };
      const values = { title: 'Lamps', total: 'many', supplier: 3 };
      return { body: url.includes('/instances') ? { idInstance: 1, values } : forms };
    });
    const { execute } = await startGateway({ ...platform.env, TYPED_FORMS: '*' });

    const { errors } = await execute(`mutation { updateOrder(input: {
      instanceId: 1, values: { title: "x" }, expected: { title: "Lights" }
    }) { instance { title total supplier { name } } } }`);

    expect(errors?.map(({ extensions }) => extensions)).toMatchObject([
      { code: 'CONFLICT', current: { title: 'Lamps', total: null, supplier: null } },
    ]);
  });

  it('does not compare with a copy that is served while the platform fails', async () => {
    let status = 200;
    const platform = await scriptPlatform(({ method }) =>
      method === 'GET' ? { status, body: { idInstance: 1, values: { a: 2 } } } : { status: 202 },
    );
    const { execute, dataOf } = await startGateway({
      ...platform.env,
      STALE_IF_ERROR_MS: '60000',
    });
    const read = '{ instance(formId: "f", instanceId: 1) { values } }';
    await dataOf(read);
    status = 500;
    expect(await dataOf(read)).toEqual({ instance: { values: { a: 2 } } });

    const { errors } = await execute(`mutation { updateInstance(input: {
      formId: "f", instanceId: 1, values: { a: 1 }, expected: { a: 2 }
    }) { __typename } }`);

    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_ERROR' });
  });
});
