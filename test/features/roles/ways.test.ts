import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { auditFile, readLines } from '../audit/support.ts';
import { purchaseRequests } from '../bulk/support.ts';
import { subscribe } from '../live/support.ts';
import { connect, writeDocuments } from '../mcp/support.ts';
import { expectForbidden, shareWithRoles, startWithRoles, withBuyer } from './support.ts';

const { ask, calls, url } = await shareWithRoles();

const as = (caller: string) => ({ headers: { 'x-api-key': caller } });

describe('a token', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokenWith = (claims: Readonly<Record<string, unknown>>) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256' })
      .setSubject('ann')
      .setExpirationTime('1h')
      .sign(privateKey);
  const start = async (claim: string | readonly string[], env = {}) => {
    const roles = {
      staff: { forms: { employee: ['read'] } },
      buyer: { forms: { supplier: ['read'], expense: ['read'] } },
    };
    return startWithRoles(
      { CALLER_AUTH: 'jwt', CALLER_JWKS_URL: await keySetUrl(publicKey), ...env },
      { claim, roles },
    );
  };
  const EMPLOYEES = '{ employees(first: 1) { totalCount } }';
  const SUPPLIERS = '{ suppliers(first: 1) { totalCount } }';

  /** Returns the statuses of reads of employees and of suppliers, with claims. */
  const readWith = async (
    { ask }: Awaited<ReturnType<typeof start>>,
    claims: Readonly<Record<string, unknown>>,
  ) => {
    const headers = { authorization: `Bearer ${await tokenWith(claims)}` };
    const statusOf = async (query: string) => (await ask('', query, {}, headers)).status;
    return [await statusOf(EMPLOYEES), await statusOf(SUPPLIERS)];
  };

  it('has the first role in the file that its claim holds, as a name or in a list', async () => {
    const gateway = await start('roles');

    expect(await readWith(gateway, { roles: 'buyer' })).toEqual([403, 200]);
    expect(await readWith(gateway, { roles: ['other', 'buyer'] })).toEqual([403, 200]);
    expect(await readWith(gateway, { roles: ['buyer', 'staff'] })).toEqual([200, 403]);
    for (const claims of [{ roles: ['admin'] }, { roles: { buyer: true } }, {}])
      expect(await readWith(gateway, claims)).toEqual([403, 403]);
  });

  it('may have its role in a nested claim', async () => {
    const gateway = await start(['realm_access', 'roles']);
    const claims = { realm_access: { roles: ['staff'] }, roles: 'buyer' };

    expect(await readWith(gateway, claims)).toEqual([200, 403]);
  });

  it('is the subject of refusals in the audit, also of refused references', async () => {
    const file = auditFile();
    const gateway = await start('roles', { AUDIT_FILE: file });
    const headers = { authorization: `Bearer ${await tokenWith({ roles: 'buyer' })}` };
    for (const query of [
      'mutation { deleteSupplier(input: { instanceId: "1" }) { deletedId } }',
      '{ expense(instanceId: "1") { employee { name } } }',
    ])
      await gateway.ask('', query, {}, headers);

    const refused = { event: 'refused', role: 'buyer', caller: 'buyer', subject: 'ann' };
    expect(readLines(file)).toMatchObject([
      { ...refused, what: 'delete', formId: 'supplier' },
      { ...refused, what: 'read', formId: 'employee' },
    ]);
  });
});

describe('live queries', () => {
  it.each(['employees(first: 1)', 'instances(formId: "employee")'])(
    'of %s are refused to another role, also while one is open',
    async (field) => {
      const query = `subscription { ${field} { totalCount } }`;
      const stream = await subscribe(url, query, as('desk'));
      await stream.next();
      const refused = await subscribe(url, query, as('web'));

      expect(refused.status).toBe(403);
      expect(await refused.ended).toContain('FORBIDDEN');
    },
  );

  it('give null with FORBIDDEN for references that a role may not read', async () => {
    const query = 'subscription { purchaseRequest(instanceId: "1") { title requester { name } } }';
    const stream = await subscribe(url, query, as('web'));
    const { data, errors } = await stream.next();

    expect(data.purchaseRequest).toEqual({ title: expect.any(String), requester: null });
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

it('tools of MCP are limited to the permissions of the caller’s role', async () => {
  const DOCUMENTS = writeDocuments(
    '"Counts any." query CountAny($form: ID!) { instances(formId: $form) { totalCount } }',
    '"Counts employees." query CountEmployees { employees { totalCount } }',
    '"Counts suppliers." query CountSuppliers { suppliers { totalCount } }',
    '"Removes a supplier." mutation RemoveSupplier($id: ID!) { deleteSupplier(input: { instanceId: $id }) { deletedId } }',
  );
  const gateway = await startWithRoles({ MCP: 'all', DOCUMENTS });
  const client = await connect(gateway.url, as('web'));
  const call = (name: string, args = {}) => client.callTool({ name, arguments: args });

  const { tools } = await client.listTools();
  const refused = [await call('CountEmployees'), await call('RemoveSupplier', { id: '1' })];
  const suppliers = await call('CountSuppliers');

  expect(tools.map(({ name }) => name)).toEqual(['CountAny', 'CountSuppliers']);
  for (const answer of refused) {
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer)).toContain('FORBIDDEN');
  }
  expect(suppliers.isError).toBeUndefined();
  expect(gateway.calls).toEqual(['getFormIntances']);
});

describe('extensions', () => {
  const modules = {
    'a.js': `export default {
      typeDefs: 'extend type Query { own: JSON other: JSON } extend type Supplier { owner: String }',
      resolvers: {
        Query: {
          own: { calls: 1, resolve: async (_source, _args, { query, caller }) => ({
            role: caller.role,
            employee: await query('{ employee(instanceId: "1") { id } }').then(() => 'read', (error) => error.extensions.code),
            supplier: await query('{ supplier(instanceId: "1") { id } }').then(() => 'read', (error) => error.message),
          }) },
          other: () => 1,
        },
        Supplier: { owner: (_source, _args, { caller }) => caller.role },
      },
    };`,
    'b.js': `export default {
      typeDefs: 'extend type Query { ofOther: Int ofEmployee: String ofSupplier: String }',
      resolvers: {
        Query: {
          ofOther: { needs: '{ other }', resolve: ({ other }) => other },
          ofEmployee: { needs: '{ employee(instanceId: "1") { name } }', resolve: ({ employee }) => employee.name },
          ofSupplier: { needs: '{ supplier(instanceId: "1") { name } }', resolve: ({ supplier }) => supplier.name },
        },
      },
    };`,
  };
  const roles = withBuyer({ extensions: ['own', 'ofOther', 'ofEmployee', 'ofSupplier'] });

  it('have the role of their caller, and root fields that it names alone', async () => {
    const { ask } = await startWithRoles({ EXTENSIONS: writeFolder(modules) }, roles);
    const own = await ask('web', '{ own supplier(instanceId: "1") { owner } }');

    expect(own.data).toEqual({
      own: { role: 'buyer', employee: 'FORBIDDEN', supplier: 'read' },
      supplier: { owner: 'buyer' },
    });
    expectForbidden(await ask('web', '{ other }'), 'other');
    expectForbidden(await ask('nightly', '{ own }'), 'own');
  });

  it('have needs that are limited to the caller’s permissions: for the platform and for other extensions', async () => {
    const { ask } = await startWithRoles({ EXTENSIONS: writeFolder(modules) }, roles);
    const { data } = await ask('web', '{ ofSupplier }');

    expect(data.ofSupplier).toEqual(expect.any(String));
    for (const field of ['ofOther', 'ofEmployee'])
      expectForbidden(await ask('web', `{ ${field} }`), field);
  });

  it('are refused for root fields that have names of the graph', async () => {
    const module = `export default {
      typeDefs: \`
        interface Own { viewer: Int forms: Int }
        extend type Query { _entities: Int signIn: Int }
        extend type Mutation implements Own { viewer: Int forms: Int node: Int }
      \`,
      resolvers: {
        Query: { _entities: () => 1, signIn: () => 1 },
        Mutation: { viewer: () => 1, forms: () => 1, node: () => 1 },
      },
    };`;
    const { ask } = await startWithRoles({ EXTENSIONS: writeFolder({ 'own.ts': module }) });

    for (const query of [
      '{ _entities }',
      '{ signIn }',
      'mutation { viewer }',
      'mutation { forms }',
      'mutation { node }',
      'mutation { ... on Own { viewer forms } }',
    ]) {
      const { status, errors } = await ask('web', query);
      expect(status, query).toBe(403);
      for (const { extensions } of errors ?? []) expect(extensions['code']).toBe('FORBIDDEN');
    }
  });
});

it('a field that several fragments select is refused once for its key', async () => {
  const name = 'employee(instanceId: "1") { name }';

  const answer = await ask(
    'web',
    `{ ${name} ...A ... on Query { ${name} } } fragment A on Query { ${name} b: ${name} }`,
  );

  expectForbidden(answer, 'employee', 'b');
});

it('100 refused fields of four kinds write one line of the audit', async () => {
  const AUDIT_FILE = auditFile();
  const { ask } = await startWithRoles({ AUDIT_FILE });
  const fields = Array.from({ length: 25 }, (_, n) => [
    `a${n}: form(formId: "f${n}") { name }`,
    `b${n}: instances(formId: "f${n}") { totalCount }`,
    `c${n}: rule(component: "r${n}", version: "1") { name }`,
    `d${n}: employee(instanceId: "${n}") { name }`,
  ]);

  const { status, errors } = await ask('web', `{ ${fields.flat().join(' ')} }`);

  expect([status, errors?.length]).toEqual([403, 100]);
  expect(readLines(AUDIT_FILE)).toMatchObject([{ event: 'refused', caller: 'web' }]);
});

it('a cached definition serves only the callers of one role', async () => {
  const roles = { ...withBuyer({}), callers: { web: 'buyer', guest: 'buyer', nightly: 'export' } };
  const gateway = await startWithRoles({ CACHE_DEFINITIONS_MS: '60000' }, roles);
  for (const caller of ['web', 'guest', 'nightly'])
    await gateway.ask(caller, '{ form(formId: "supplier") { name } }');

  expect(gateway.calls).toEqual(['getForm', 'getForm']);
});

/** The buyer may read purchase requests and suppliers, and no employees. */
const SECRET = '(where: { requester: { where: { name: { contains: "a" } } } }, first: 1)';
const VISIBLE = '(where: { supplier: { where: { country: { eq: DE } } } }, first: 1)';
const listOf = (args: string) => `purchaseRequests${args} { totalCount }`;

describe('conditions on the target of a reference need a role that may read the target', () => {
  it('over HTTP, where nothing is sent without it', async () => {
    const refused = await ask('web', `{ ${listOf(SECRET)} }`);
    expectForbidden(refused, expect.any(String));
    expect(refused.data).toEqual({ purchaseRequests: null });
    expect(calls).toEqual([]);

    const { errors, data } = await ask('web', `{ ${listOf(VISIBLE)} }`);
    expect(errors).toBeUndefined();
    expect(data.purchaseRequests.totalCount).toBeGreaterThan(0);
  });

  it('in nested lists', async () => {
    const refused = await ask('web', `{ supplier(instanceId: "1") { name ${listOf(SECRET)} } }`);

    expect(refused.data.supplier).toEqual({ name: expect.any(String), purchaseRequests: null });
    expectForbidden(refused, expect.any(String));
  });

  it('in subscriptions', async () => {
    const open = (args: string) => subscribe(url, `subscription { ${listOf(args)} }`, as('web'));

    const refused = await (await open(SECRET)).next();
    const allowed = await (await open(VISIBLE)).next();

    expect(refused).toMatchObject({
      data: { purchaseRequests: null },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    expect(allowed.data.purchaseRequests.totalCount).toBeGreaterThan(0);
  });

  it('in tools of MCP', async () => {
    const DOCUMENTS = writeDocuments(
      `"Counts in secret." query Secret { ${listOf(SECRET)} }`,
      `"Counts openly." query Visible { ${listOf(VISIBLE)} }`,
    );
    const gateway = await startWithRoles({ MCP: 'all', DOCUMENTS });
    const client = await connect(gateway.url, as('web'));

    const refused = await client.callTool({ name: 'Secret', arguments: {} });
    const allowed = await client.callTool({ name: 'Visible', arguments: {} });

    expect(JSON.stringify(refused.content)).toContain('FORBIDDEN');
    expect(allowed.isError).toBeUndefined();
  });

  it('in payloads of bulk writes', async () => {
    const create = (args: string) =>
      ask(
        'web',
        `mutation ($input: CreatePurchaseRequestsInput!) {
          createPurchaseRequests(input: $input) {
            done results { instance { supplier { ${listOf(args)} } } }
          }
        }`,
        { input: { items: purchaseRequests(1, { supplier: '1' }) } },
      );

    const refused = await create(SECRET);
    const allowed = await create(VISIBLE);

    expect(refused.data.createPurchaseRequests).toEqual({
      done: 1,
      results: [{ instance: { supplier: { purchaseRequests: null } } }],
    });
    expectForbidden(refused, expect.any(String));
    expect(allowed.errors).toBeUndefined();
  });
});
