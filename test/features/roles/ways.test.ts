import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { writeFolder } from '../../support/folder.ts';
import { keySetUrl } from '../../support/key-set.ts';
import { subscribe } from '../live/support.ts';
import { connect, writeDocuments } from '../mcp/support.ts';
import { codesOf, startWithRoles, withBuyer } from './support.ts';

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

  const NESTED = ['realm_access', 'roles'];

  it.each([
    ['a name', 'roles', { roles: 'buyer' }, [403, 200]],
    ['a list', 'roles', { roles: ['other', 'buyer'] }, [403, 200]],
    [
      'several, of which the first in the file counts',
      'roles',
      { roles: ['buyer', 'staff'] },
      [200, 403],
    ],
    ['another one', 'roles', { roles: ['admin'] }, [403, 403]],
    ['something else', 'roles', { roles: { buyer: true } }, [403, 403]],
    ['none', 'roles', {}, [403, 403]],
    [
      'a name, and is nested',
      NESTED,
      { realm_access: { roles: ['staff'] }, roles: 'buyer' },
      [200, 403],
    ],
  ])('has a role by a claim that holds %s', async (_what, claim, claims, statuses) => {
    const { ask } = await start(claim);
    const headers = { authorization: `Bearer ${await tokenWith(claims)}` };

    const answers = [await ask('', EMPLOYEES, {}, headers), await ask('', SUPPLIERS, {}, headers)];

    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });

  it('is the subject of refusals in the audit, also of refused references', async () => {
    const file = join(writeFolder({}), 'audit.jsonl');
    const { ask } = await start('roles', { AUDIT_FILE: file });
    const headers = { authorization: `Bearer ${await tokenWith({ roles: 'buyer' })}` };
    await ask(
      '',
      'mutation { deleteSupplier(input: { instanceId: "1" }) { deletedId } }',
      {},
      headers,
    );
    await ask('', '{ expense(instanceId: "1") { employee { name } } }', {}, headers);
    const lines = readFileSync(file, 'utf8').trim().split('\n');

    const refused = { event: 'refused', role: 'buyer', caller: 'buyer', subject: 'ann' };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { ...refused, what: 'delete', formId: 'supplier' },
      { ...refused, what: 'read', formId: 'employee' },
    ]);
  });
});

describe('live queries', () => {
  const as = (caller: string) => ({ headers: { 'x-api-key': caller } });

  it.each(['employees(first: 1)', 'instances(formId: "employee")'])(
    'of %s are refused to another role, also while one is open',
    async (field) => {
      const { url } = await startWithRoles();
      const query = `subscription { ${field} { totalCount } }`;
      const stream = await subscribe(url, query, as('desk'));
      await stream.next();
      const refused = await subscribe(url, query, as('web'));

      expect(refused.status).toBe(403);
      expect(await refused.ended).toContain('FORBIDDEN');
    },
  );

  it('give null with FORBIDDEN for references that a role may not read', async () => {
    const { url } = await startWithRoles();
    const query = 'subscription { purchaseRequest(instanceId: "1") { title requester { name } } }';
    const stream = await subscribe(url, query, as('web'));
    const { data, errors } = await stream.next();

    expect(data.purchaseRequest).toEqual({ title: expect.any(String), requester: null });
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

describe('tools of MCP', () => {
  const writeTools = () =>
    writeDocuments(
      '"Counts any." query CountAny($form: ID!) { instances(formId: $form) { totalCount } }',
      '"Counts employees." query CountEmployees { employees { totalCount } }',
      '"Counts suppliers." query CountSuppliers { suppliers { totalCount } }',
      '"Removes a supplier." mutation RemoveSupplier($id: ID!) { deleteSupplier(input: { instanceId: $id }) { deletedId } }',
    );

  it('are limited to the permissions of the caller’s role', async () => {
    const { url, calls } = await startWithRoles({ MCP: 'all', DOCUMENTS: writeTools() });
    const client = await connect(url, { headers: { 'x-api-key': 'web' } });
    const [employees, removed] = [
      await client.callTool({ name: 'CountEmployees', arguments: {} }),
      await client.callTool({ name: 'RemoveSupplier', arguments: { id: '1' } }),
    ];
    const suppliers = await client.callTool({ name: 'CountSuppliers', arguments: {} });

    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(['CountAny', 'CountSuppliers']);
    expect([employees.isError, removed.isError, suppliers.isError]).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(JSON.stringify([employees, removed])).toContain('FORBIDDEN');
    expect(calls).toEqual(['getFormIntances']);
  });
});

describe('extensions', () => {
  const MODULE = `export default {
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
  };`;
  const roles = withBuyer({ extensions: ['own'] });

  it('have the role of their caller, and root fields that it names alone', async () => {
    const { ask } = await startWithRoles({ EXTENSIONS: writeFolder({ 'own.ts': MODULE }) }, roles);
    const [own, other, nightly] = [
      await ask('web', '{ own }'),
      await ask('web', '{ other }'),
      await ask('nightly', '{ own }'),
    ];
    const supplier = await ask('web', '{ supplier(instanceId: "1") { owner } }');

    expect(own.data.own).toEqual({ role: 'buyer', employee: 'FORBIDDEN', supplier: 'read' });
    expect(codesOf(other)).toEqual([['FORBIDDEN', 'other']]);
    expect(codesOf(nightly)).toEqual([['FORBIDDEN', 'own']]);
    expect(supplier.data.supplier.owner).toBe('buyer');
  });
});

describe('the needs of an extension’s root field', () => {
  const modules = {
    'a.js': `export default { typeDefs: 'extend type Query { own: Int }', resolvers: { Query: { own: () => 1 } } };`,
    'b.js': `export default {
      typeDefs: 'extend type Query { ofOwn: Int ofEmployee: String ofSupplier: String }',
      resolvers: {
        Query: {
          ofOwn: { needs: '{ own }', resolve: ({ own }) => own },
          ofEmployee: { needs: '{ employee(instanceId: "1") { name } }', resolve: ({ employee }) => employee.name },
          ofSupplier: { needs: '{ supplier(instanceId: "1") { name } }', resolve: ({ supplier }) => supplier.name },
        },
      },
    };`,
  };
  const roles = withBuyer({ extensions: ['ofOwn', 'ofEmployee', 'ofSupplier'] });

  it('are limited to the caller’s permissions: for the platform and for other extensions', async () => {
    const { ask } = await startWithRoles({ EXTENSIONS: writeFolder(modules) }, roles);

    const [own, employee, supplier] = [
      await ask('web', '{ ofOwn }'),
      await ask('web', '{ ofEmployee }'),
      await ask('web', '{ ofSupplier }'),
    ];

    expect(codesOf(own)).toEqual([['FORBIDDEN', 'ofOwn']]);
    expect(codesOf(employee)).toEqual([['FORBIDDEN', 'ofEmployee']]);
    expect(supplier.data.ofSupplier).toEqual(expect.any(String));
  });
});

describe('root fields of extensions', () => {
  const MODULE = `export default {
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

  it('are refused where they have names of the graph', async () => {
    const { ask } = await startWithRoles({ EXTENSIONS: writeFolder({ 'own.ts': MODULE }) });

    for (const query of [
      ...[
        '{ _entities }',
        '{ signIn }',
        'mutation { viewer }',
        'mutation { forms }',
        'mutation { node }',
      ],
      'mutation { ... on Own { viewer forms } }',
    ]) {
      const answer = await ask('web', query);
      expect([query, answer.status]).toEqual([query, 403]);
      expect(new Set(codesOf(answer).map(([code]) => code))).toEqual(new Set(['FORBIDDEN']));
    }
  });
});

it('a field that several fragments select is refused once for its key', async () => {
  const { ask } = await startWithRoles();
  const name = 'employee(instanceId: "1") { name }';

  const answer = await ask(
    'web',
    `{ ${name} ...A ... on Query { ${name} } } fragment A on Query { ${name} b: ${name} }`,
  );

  expect(codesOf(answer)).toEqual([
    ['FORBIDDEN', 'employee'],
    ['FORBIDDEN', 'b'],
  ]);
});

describe('a cached definition', () => {
  const FORM = '{ form(formId: "supplier") { name } }';

  it('serves only the callers of one role', async () => {
    const roles = {
      ...withBuyer({}),
      callers: { web: 'buyer', guest: 'buyer', nightly: 'export' },
    };
    const { ask, calls } = await startWithRoles({ CACHE_DEFINITIONS_MS: '60000' }, roles);
    for (const caller of ['web', 'guest', 'nightly']) await ask(caller, FORM);

    expect(calls).toEqual(['getForm', 'getForm']);
  });
});
