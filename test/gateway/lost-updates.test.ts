import { beforeEach, describe, expect, it } from 'vitest';

import { startAgedGateway } from '../support/aged-gateway.ts';
import { type Env, shareGateway, startGateway } from '../support/gateway.ts';
import { planOf } from '../support/plan.ts';
import {
  type ScriptedAnswer,
  type SeenRequest,
  scriptPlatform,
} from '../support/scripted-platform.ts';

const gateway = shareGateway({ TYPED_FORMS: '*', CACHE_INSTANCES_MS: '60000' });

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

const TYPED = (expected: string, selection = 'title status') => `mutation {
  updatePurchaseRequest(input: {
    instanceId: ${id}, values: { title: "Lights" }, expected: { ${expected} }
  }) { instance { ${selection} } }
}`;
const GENERIC = (expected: string, selection = 'values') => `mutation {
  updateInstance(input: {
    formId: "purchase-request", instanceId: ${id}
    values: { title: "Lights" }, expected: { ${expected} }
  }) { instance { ${selection} } }
}`;

describe('a change with expected values', () => {
  it.each([
    ['typed', 'status: DRAFT'],
    ['typed', 'title: "Lamps", quantity: 2, amount: "12.5"'],
    ['typed', 'supplier: 3, requester: "1", neededBy: "2026-03-01"'],
    ['typed', 'notes: null, urgent: null'],
    ['generic', 'status: "draft"'],
    ['generic', 'amount: 12.5, quantity: "2"'],
    ['generic', 'amount: "12.50", supplier: "3"'],
    ['generic', 'notes: null'],
  ])('is sent from the %s graph if the instance has them: %s', async (graph, expected) => {
    const write = graph === 'typed' ? TYPED : GENERIC;

    await gateway.dataOf(write(expected, '__typename'));

    expect(gateway.calls).toEqual(['getFormIntance', 'updateValuesOfFormIntance']);
  });

  it('is not sent if values differ, and returns the fields and the selected values', async () => {
    const { data, errors } = await gateway.execute(
      TYPED(
        'status: SUBMITTED, quantity: 3, title: "Lamps"',
        'state: status amount supplier { name }',
      ),
    );

    const violation = (field: string) => ({
      path: ['input', 'expected', field],
      constraint: 'expected',
      message: 'has another value now',
    });
    expect(data.updatePurchaseRequest).toBeNull();
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('other values than expected: quantity, status.'),
        path: ['updatePurchaseRequest'],
        extensions: {
          code: 'CONFLICT',
          retryable: false,
          violations: [violation('quantity'), violation('status')],
        },
      },
    ]);
    expect(errors?.[0]?.extensions['current']).toEqual({
      state: 'DRAFT',
      amount: '12.5',
      supplier: { name: expect.any(String) },
    });
    expect(gateway.calls).not.toContain('updateValuesOfFormIntance');
  });

  it('is a conflict without values if a condition of the selection does not fit', async () => {
    const query = TYPED('quantity: 9', 'title @skip(if: $no)');
    const { errors } = await gateway.execute(
      query.replace('mutation', 'mutation ($no: Boolean = false)'),
      { no: null },
    );

    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
    expect(errors?.[0]?.extensions).not.toHaveProperty('current');
  });

  it('returns the selected values in the generic graph', async () => {
    const { errors } = await gateway.execute(
      GENERIC('status: "submitted"', 'status: value(field: "status")'),
    );

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

    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
    expect(gateway.calls).toEqual(['getFormIntance']);
  });

  it('is BAD_USER_INPUT for all names that the form does not have, and frees its key', async () => {
    const change = (expected: string) =>
      gateway.execute(GENERIC(expected).replace('values', 'idempotencyKey: "unknown", values'));

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
    expect(gateway.calls.filter((call) => call.startsWith('update'))).toHaveLength(1);
  });

  it('names the item of a bulk write with a name that the form does not have', async () => {
    const { updateInstances } = await gateway.dataOf(`mutation { updateInstances(input: {
      formId: "purchase-request"
      items: [{ instanceId: ${id}, values: {}, expected: { notse: null } }]
    }) { results { status error { code violations } } } }`);

    const error = { code: 'BAD_USER_INPUT', violations: [{ path: ['expected', 'notse'] }] };
    expect(updateInstances.results).toMatchObject([{ status: 'FAILED', error }]);
  });

  it('needs no body of an instance that has not changed', async () => {
    const aged = await startAgedGateway({ TYPED_FORMS: '*', CACHE_INSTANCES_MS: '60000' });
    const read = await aged.dataOf('{ purchaseRequest(instanceId: 41) { title } }');
    aged.statuses.length = 0;

    await aged.dataOf(
      `mutation ($title: String!) { updatePurchaseRequest(input: {
        instanceId: 41, values: { title: $title }, expected: { title: $title }
      }) { __typename } }`,
      read.purchaseRequest,
    );

    expect(aged.statuses).toEqual([304, 202]);
  });

  it('reads past cached copies', async () => {
    const read = () => gateway.dataOf(`{ purchaseRequest(instanceId: ${id}) { title status } }`);
    await read();
    await read();
    const own = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo' };
    const other = await startGateway({ UPSTREAM_URL: gateway.origin, ...own });
    await other.dataOf(`mutation { updateInstance(input: {
      formId: "purchase-request", instanceId: ${id}, values: { status: "submitted" }
    }) { __typename } }`);

    const { errors } = await gateway.execute(TYPED('status: DRAFT'));

    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'CONFLICT',
      current: { title: 'Lamps', status: 'SUBMITTED' },
    });
  });

  it('has its two calls in the plan, and one without expected values', async () => {
    const query = TYPED('quantity: 2', '__typename');

    const plans = [
      await planOf(gateway.url, query),
      await planOf(gateway.url, query.replace(/expected: {.*?}/, '')),
    ];

    expect(plans).toMatchObject([{ calls: { most: 2 } }, { calls: { most: 1 } }]);
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
  /** Changes the status, and returns the error code. Each test has its own instance and key. */
  const change = async (expected: string) => {
    const { errors } = await gateway.execute(`mutation { updatePurchaseRequest(input: {
      instanceId: ${id}, values: { status: SUBMITTED }, expected: { ${expected} }
      idempotencyKey: "${id}"
    }) { __typename } }`);
    return errors?.[0]?.extensions['code'];
  };

  it('returns the first outcome to a repeat, without a comparison', async () => {
    await change('status: DRAFT');
    gateway.calls.length = 0;

    expect(await change('status: DRAFT')).toBeUndefined();
    expect(gateway.calls).toEqual([]);
  });

  it('is another mutation with other expected values', async () => {
    await change('status: DRAFT');

    expect(await change('status: SUBMITTED')).toBe('BAD_USER_INPUT');
  });

  it('may use the key again after a conflict', async () => {
    expect(await change('status: SUBMITTED')).toBe('CONFLICT');
    expect(await change('status: DRAFT')).toBeUndefined();
  });
});

describe('a change whose instance cannot be compared', () => {
  /** Starts a gateway before a platform that answers reads so, and takes all changes. */
  const start = async (read: (request: SeenRequest) => ScriptedAnswer, env: Env = {}) => {
    const platform = await scriptPlatform((request) =>
      request.method === 'GET' ? read(request) : { status: 202 },
    );
    const gateway = await startGateway({ ...platform.env, ...env });
    const change = (expected: string, key = 'k') =>
      gateway.execute(`mutation { updateInstance(input: {
        formId: "f", instanceId: 1, values: { a: 1 }, expected: { ${expected} }
        idempotencyKey: "${key}"
      }) { __typename } }`);
    return { ...gateway, change, methods: () => platform.seen.map(({ method }) => method) };
  };

  it.each([
    [{ status: 500, body: {} }, 'UPSTREAM_ERROR', true],
    [{ body: ['nothing'] }, 'UPSTREAM_INVALID_RESPONSE', false],
    [{ status: 403, body: {} }, 'FORBIDDEN', false],
  ])('is not sent after %j', async (answer, code, retryable) => {
    const { change, methods } = await start(() => answer);

    const answers = [await change('a: 2'), await change('a: 2')];

    for (const { errors } of answers)
      expect(errors).toMatchObject([{ extensions: { code, retryable } }]);
    expect(methods()).not.toContain('PATCH');
    // It had no effect, so its outcome is not kept.
    expect(methods().length).toBeGreaterThan(1);
  });

  it.each([
    [{ a: 2, b: null }, undefined],
    [{ a: 2 }, 'BAD_USER_INPUT'],
  ])('has no definition, so an empty field must be in the instance: %j', async (values, code) => {
    const { change, methods } = await start(() => ({ body: { idInstance: 1, values } }));

    const { errors } = await change('a: 2, b: null');

    expect(errors?.[0]?.extensions['code']).toBe(code);
    expect(methods().includes('PATCH')).toBe(code === undefined);
  });

  it('returns the selected values that could be read, and null for the others', async () => {
    const supplier = { name: 'supplier', type: 'reference', reference: 'supplier' };
    const fields = [{ name: 'title', type: 'text' }, { name: 'total', type: 'decimal' }, supplier];
    const forms = [
      { idForm: 'order', fields },
      { idForm: 'supplier', fields: [{ name: 'name', type: 'text' }] },
    ];
    const values = { title: 'Lamps', total: 'many', supplier: 3 };
    const { execute } = await start(
      ({ url }) => {
        if (url.includes('/forms/supplier/instances')) return { status: 403, body: {} };
        return { body: url.includes('/instances') ? { idInstance: 1, values } : forms };
      },
      { TYPED_FORMS: '*' },
    );

    const { errors } = await execute(`mutation { updateOrder(input: {
      instanceId: 1, values: { title: "x" }, expected: { title: "Lights" }
    }) { instance { title total supplier { name } } more: instance { other: title } } }`);

    const current = { title: 'Lamps', total: null, supplier: null, other: 'Lamps' };
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT', current } }]);
  });

  it('does not compare with a copy that is served while the platform fails', async () => {
    const answer = { status: 200, body: { idInstance: 1, values: { a: 2 } } };
    const { change, dataOf } = await start(() => answer, { STALE_IF_ERROR_MS: '60000' });
    const read = '{ instance(formId: "f", instanceId: 1) { values } }';
    await dataOf(read);
    answer.status = 500;
    expect(await dataOf(read)).toEqual({ instance: { values: { a: 2 } } });

    const { errors } = await change('a: 2');

    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
  });
});
