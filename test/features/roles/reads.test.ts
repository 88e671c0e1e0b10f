import { describe, expect, it } from 'vitest';

import { scriptPlatform } from '../../support/scripted-platform.ts';
import { writeDialect } from '../../support/write-dialect.ts';
import { codesOf, expectForbidden, shareWithRoles, startWithRoles } from './support.ts';

const { ask, calls, url } = await shareWithRoles({ FEDERATION: 'on' });

const globalId = (...key: readonly string[]) =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/** Reads of requests, and of employees, each in the same words. */
const READS: Readonly<
  Record<string, (form: string, one: string, many: string, type: string) => string>
> = {
  'the generic instance': (form) =>
    `{ at: instance(formId: "${form}", instanceId: "1") { values } }`,
  'the generic list': (form) =>
    `{ at: instances(formId: "${form}", first: 1) { nodes { values } } }`,
  'the typed instance': (_form, one) => `{ at: ${one}(instanceId: "1") { id values } }`,
  'the typed list': (_form, _one, many) => `{ at: ${many}(first: 1) { nodes { values } } }`,
  node: (form) =>
    `{ at: node(id: "${globalId('Instance', form, '1')}") { ... on Instance { values } } }`,
  'the node of a form': (form) =>
    `{ at: node(id: "${globalId('Form', form)}") { ... on Form { definition } } }`,
  'a fragment': (_form, one, _many, type) =>
    `query { ...F } fragment F on Query { at: ${one}(instanceId: "1") { ... on ${type} { values } } }`,
  'a global id of the form': (form) =>
    `{ at: instance(formId: "${globalId('Form', form)}", instanceId: "1") { values } }`,
  'the form': (form) => `{ at: form(formId: "${form}") { definition fields { name } } }`,
  'a part that a condition leaves out': (_form, one) =>
    `{ __typename at: ${one}(instanceId: "1") @include(if: true) { id } }`,
};

describe('a role', () => {
  it.each(Object.entries(READS))('reads %s of a form that it may read', async (_what, write) => {
    const query = write(
      'purchase-request',
      'purchaseRequest',
      'purchaseRequests',
      'PurchaseRequest',
    );
    const { errors, data } = await ask('web', query);

    expect(errors).toBeUndefined();
    expect(Object.values(data)).not.toContain(null);
  });

  it.each(Object.entries(READS))(
    'is refused %s of another form, and nothing is sent',
    async (_what, write) => {
      const answer = await ask('web', write('employee', 'employee', 'employees', 'Employee'));

      expect(answer.status).toBe(403);
      expectForbidden(answer, expect.any(String));
      expect(answer.data).toBeUndefined();
      expect(calls).toEqual([]);
    },
  );

  it('gets the same answer for a form that it may not see and for one that is not there', async () => {
    const read = (form: string) => ask('web', `{ form(formId: "${form}") { name } }`);
    const [secret, absent] = await Promise.all([read('employee'), read('nothing')]);
    const strip = (answer: object) =>
      JSON.stringify(answer)
        .replace(/"requestId":"[^"]*"/, '')
        .replace(/"column":\d+/, '');

    expect(strip(secret)).toBe(strip(absent));
    expect(secret.status).toBe(403);
    expect(calls).toEqual([]);
  });

  it('gets an error for each forbidden field, and no other field is read', async () => {
    const query =
      '{ a: employees { totalCount } purchaseRequests { totalCount } b: form(formId: "employee") { name } }';
    const answer = await ask('web', query);

    expectForbidden(answer, 'a', 'b');
    expect(calls).toEqual([]);
  });

  it('reads forms by their ids in variables and their defaults, and no other', async () => {
    const QUERY =
      'query ($form: ID! = "employee") { instances(formId: $form, first: 1) { totalCount } }';

    expect(
      (await ask('web', QUERY, { form: 'purchase-request' })).data.instances.totalCount,
    ).toBeGreaterThan(0);
    expectForbidden(await ask('web', QUERY), 'instances');
    expectForbidden(await ask('web', QUERY, { form: ['employee'] }), 'instances');
  });

  it('gets null with FORBIDDEN for a reference, and what stands beside it', async () => {
    const answer = await ask(
      'web',
      '{ purchaseRequest(instanceId: "1") { title supplier { name } requester { name } reference(field: "requester") { id } } }',
    );

    expect(answer.data.purchaseRequest).toMatchObject({
      supplier: { name: expect.any(String) },
      requester: null,
      reference: null,
    });
    expectForbidden(answer, 'purchaseRequest.requester', 'purchaseRequest.reference');
    expect(calls.filter((call) => call === 'getFormIntance')).toHaveLength(2);
  });

  it('gets null with FORBIDDEN for a back reference', async () => {
    const { data } = await ask('desk', '{ __type(name: "Employee") { fields { name } } }');
    const names: string[] = data.__type.fields.map(({ name }: { name: string }) => name);
    const back = names.filter((name) => /purchaseRequests|expenses/i.test(name));
    const answer = await ask(
      'desk',
      `{ employee(instanceId: "6") { name ${back.map((name) => `${name} { totalCount }`).join(' ')} } }`,
    );

    expect(back.length).toBeGreaterThan(0);
    expect(answer.data.employee).toEqual({
      name: expect.any(String),
      ...Object.fromEntries(back.map((name) => [name, null])),
    });
    expect(codesOf(answer)).toEqual(back.map((name) => ['FORBIDDEN', `employee.${name}`]));
  });

  it('looks at a form on which it may only write, and reads no instance of it', async () => {
    const answer = await ask(
      'web',
      '{ form(formId: "expense") { name fields { name } instances { totalCount } instance(instanceId: "1") { id } } }',
    );

    expect(answer.data.form).toMatchObject({ name: 'Expense', instance: null });
    expect(codesOf(answer).map(([code]) => code)).toContain('FORBIDDEN');
    expect(JSON.stringify(answer.data)).not.toContain('totalCount":4');
    expect(calls).not.toContain('getFormIntances');
  });
});

describe('the list of forms', () => {
  const idsOf = (answer: { data?: { forms: { nodes: { formId: string }[] } } }) =>
    answer.data?.forms.nodes.map(({ formId }) => formId).sort();

  it('has the forms that a role may look at, and counts no other', async () => {
    for (const [caller, ids] of [
      ['web', ['expense', 'purchase-request', 'supplier']],
      ['nightly', ['expense', 'purchase-request', 'supplier']],
      ['desk', ['employee']],
    ] as const) {
      const answer = await ask(caller, '{ forms { totalCount nodes { formId } } }');
      expect(idsOf(answer)).toEqual(ids);
      expect(answer.data.forms.totalCount).toBe(ids.length);
    }
  });

  it('is searched by names, and by no ids of other forms', async () => {
    const search = (field: string, value: string, operator = 'EQ') =>
      ask(
        'web',
        'query ($where: [CriterionInput!]) { forms(where: $where) { nodes { formId } } }',
        { where: [{ field, operator, value }] },
      );

    expect(idsOf(await search('name', 'Supplier'))).toEqual(['supplier']);
    expect(idsOf(await search('name', 'Employee'))).toEqual([]);
    expect(idsOf(await search('idForm', 'supplier'))).toEqual(['supplier']);
    for (const [field, value, operator] of [
      ['idForm', 'employee'],
      ['idForm', 'supplier|employee', 'IN'],
      ['idForm', 'supplier', 'NE'],
      ['idForm', 'e%', 'LIKE'],
      ['owner.name', 'x'],
    ] as const) {
      expectForbidden(await search(field, value, operator), 'forms');
    }
  });
});

it('a platform that ignores conditions is searched for the forms of the role, and does not reveal the total', async () => {
  const { env, seen } = await scriptPlatform(() => ({
    body: { items: [{ idForm: 'supplier' }], total: 4 },
  }));
  const other = await startWithRoles({ ...env, TYPED_FORMS: 'none' });

  const all = await other.ask('web', '{ forms(first: 1) { totalCount nodes { formId } } }');
  await other.ask(
    'web',
    '{ forms(where: [{ field: "id", operator: EQ, value: "supplier" }]) { totalCount } }',
  );

  expect(all.data).toEqual({ forms: null });
  expect(decodeURIComponent(seen.at(-1)?.url ?? '')).toContain(
    'idForm=in:purchase-request|supplier|expense',
  );
});

describe('filters and orders', () => {
  const list = (gateway: { readonly ask: typeof ask }, where: object[], orderBy: object[] = []) =>
    gateway.ask(
      'web',
      `query ($where: [CriterionInput!], $orderBy: [OrderInput!]) {
        instances(formId: "purchase-request", where: $where, orderBy: $orderBy, first: 1) { totalCount }
      }`,
      { where, orderBy },
    );
  const eq = (field: string, value: unknown = '1') => ({ field, operator: 'EQ', value });
  const by = (field: string) => ({ field, direction: 'ASC' });

  it('take the fields of a form, and references to forms that the role may read', async () => {
    const own = await startWithRoles();
    const answers = [
      await list(own, [eq('idInstance')]),
      await list(own, [eq('status', 'approved'), eq('supplier')], [by('amount')]),
      await own.ask(
        'web',
        '{ purchaseRequests(where: { supplier: { eq: 1 } }, orderBy: [{ field: AMOUNT, direction: ASC }]) { totalCount } }',
      ),
      await own.ask('web', '{ supplier(instanceId: "1") { name purchaseRequests: id } }'),
    ];

    expect(answers.map(codesOf)).toEqual([[], [], [], []]);
    // The definition is read once.
    expect(own.calls.filter((call) => call === 'getForm')).toHaveLength(1);
  });

  it.each([
    ['a dotted field', [eq('requester.name')], []],
    ['a field that the form does not have', [eq('salary')], []],
    ['a reference to another form', [eq('requester')], []],
    ['an order by a dotted field', [], [by('requester.approvalLimit')]],
    ['an order by a reference to another form', [], [by('requester')]],
  ])('take no %s', async (_what, where, orderBy) => {
    const answer = await list({ ask }, where, orderBy);

    expectForbidden(answer, 'instances');
    expect(calls).not.toContain('getFormIntances');
  });
});

it('the schema is shown to roles that may see it alone, as introspection, SDL or of a subgraph', async () => {
  const INTROSPECTION = '{ __schema { types { name } } __type(name: "Employee") { name } }';
  const SERVICE = '{ _service { sdl } }';
  const statusOfSdl = async (key: string) =>
    (await fetch(`${url}/schema.graphql`, { headers: { 'x-api-key': key } })).status;

  for (const key of ['nightly', 'desk']) {
    expect((await ask(key, INTROSPECTION)).errors).toBeUndefined();
    expect((await ask(key, SERVICE)).data._service.sdl).toContain('type Employee');
    expect(await statusOfSdl(key)).toBe(200);
  }
  expectForbidden(await ask('web', INTROSPECTION), '__schema', '__type');
  expectForbidden(await ask('web', SERVICE), '_service');
  expect(await statusOfSdl('web')).toBe(403);
  expect((await ask('web', '{ __typename }')).data).toEqual({ __typename: 'Query' });
});

it('the schema of a role for some forms describes no form on which it has no verb, wherever it is printed', async () => {
  const DESCRIBED = `{
      _service { sdl }
      __type(name: "Employee") { description fields { name description } }
      __schema { queryType { fields { name description } } types { name description inputFields { name description } } }
    }`;
  const whole = async (key: string) => {
    const { data } = await ask(key, DESCRIBED);
    const sdl = await fetch(`${url}/schema.graphql`, { headers: { 'x-api-key': key } });
    return [
      data._service.sdl,
      await sdl.text(),
      JSON.stringify([data.__type, data.__schema]),
    ] as const;
  };

  const [desk, nightly] = [await whole('desk'), await whole('nightly')];

  // A description of each form, and the label of a field that no name has so.
  const [employee, expense] = [
    /A person who works for the company/,
    /Money that an employee spent|Spent on/,
  ];
  for (const text of desk) {
    expect(text).toMatch(employee);
    expect(text).not.toMatch(expense);
    expect(text).toContain('spentOn');
    expect(text).toContain('(Relay)');
  }
  for (const text of nightly) {
    expect(text).toMatch(expense);
    expect(text).not.toMatch(employee);
  }
});

it('entities of a subgraph are null with FORBIDDEN where a role may not read them', async () => {
  const r = [
    { __typename: 'Supplier', id: globalId('Instance', 'supplier', '1') },
    { __typename: 'Employee', id: globalId('Instance', 'employee', '1') },
  ];
  const query =
    'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Instance { values } } }';
  const answer = await ask('web', query, { r });

  expect(answer.data._entities).toEqual([{ values: expect.anything() }, null]);
  expectForbidden(answer, '_entities.1');
});

it('a role for some forms lists no forms of a platform that cannot search by several ids', async () => {
  const UPSTREAM_DIALECT = writeDialect({ search: { operators: { IN: null } } });
  const other = await startWithRoles({ UPSTREAM_DIALECT });

  expectForbidden(await other.ask('web', '{ forms { totalCount } }'), 'forms');
  expect(other.calls).toEqual([]);
});
