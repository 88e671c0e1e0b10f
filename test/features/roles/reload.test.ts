import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { callerKeys } from '../../identity/support.ts';
import { replaceFile, startReloading } from '../../reload/support.ts';
import { type Env, postGraphql } from '../../support/gateway.ts';
import { subscribe } from '../live/support.ts';
import { connect } from '../mcp/support.ts';
import { codesOf, writeRoles } from './support.ts';

const ROLES = {
  callers: { web: 'buyer', desk: 'clerk' },
  roles: {
    buyer: { forms: { supplier: ['read'], expense: ['read', 'create'] } },
    clerk: { forms: { supplier: ['read'] } },
  },
};
const LESS = { ...ROLES, roles: { ...ROLES.roles, buyer: { forms: { expense: ['create'] } } } };

async function start(roles: object = ROLES, others = {}, env: Env = {}) {
  const file = writeRoles(roles, others);
  const gateway = await startReloading({
    TYPED_FORMS: '*',
    ...callerKeys('web', 'desk'),
    ROLES: file,
    ...env,
  });
  const ask = (caller: string, body: object) =>
    postGraphql(gateway.url, body, { 'x-api-key': caller });
  return {
    ...gateway,
    file,
    ask,
    replace: (next: object) => replaceFile(file, JSON.stringify(next)),
  };
}

const SUPPLIERS = { query: '{ suppliers(first: 1) { totalCount } }' };
const WATCH = 'subscription { suppliers(first: 1) { totalCount } }';

describe('a changed file of roles', () => {
  it('refuses lost permissions, ends the role’s streams, and keeps other streams', async () => {
    const { url, ask, replace, reload } = await start();
    const open = (caller: string) => subscribe(url, WATCH, { headers: { 'x-api-key': caller } });
    const [lost, kept] = [await open('web'), await open('desk')];
    await lost.next();
    await kept.next();
    expect((await ask('web', SUPPLIERS)).status).toBe(200);

    replace(LESS);
    await reload('RELOADED');

    await lost.ended;
    expect((await ask('web', SUPPLIERS)).status).toBe(403);
    expect((await open('web')).status).toBe(403);
    expect((await ask('desk', SUPPLIERS)).status).toBe(200);
    expect(kept.text()).not.toContain('event: complete');
  });

  it('replaces the reserves of calls, and stays in use if the new ones exceed the budget', async () => {
    const reserving = (callsReserved: number) => ({
      ...ROLES,
      roles: { ...ROLES.roles, buyer: { ...ROLES.roles.buyer, callsReserved } },
    });
    const { ask, replace, reload } = await start(ROLES, {}, { UPSTREAM_CALLS_PER_MINUTE: '120' });

    replace(reserving(61));
    await reload('RELOAD_FAILED');
    replace(reserving(60));
    await reload('RELOADED');
    for (let count = 0; count < 30; count++) await ask('desk', SUPPLIERS);

    const codes: unknown[] = [];
    for (let count = 0; count < 5; count++) codes.push(codesOf(await ask('web', SUPPLIERS)));
    expect(codes).toEqual([[], [], [], [], []]);
  });

  it('ends the streams of a caller whose role has changed or is gone', async () => {
    const { url, replace, reload, ask } = await start();
    const stream = await subscribe(url, WATCH, { headers: { 'x-api-key': 'web' } });
    await stream.next();

    replace({ ...ROLES, callers: { desk: 'clerk' } });
    await reload('RELOADED');

    await stream.ended;
    expect((await ask('web', SUPPLIERS)).status).toBe(403);
  });

  it('keeps the outcomes of keys, and shows only the parts that the role may read now', async () => {
    const { ask, replace, reload } = await start();
    const values = {
      description: 'Train',
      amount: '10',
      category: 'TRAVEL',
      employee: '6',
      spentOn: '2026-03-01',
    };
    const create = (selection: string) =>
      ask('web', {
        query: `mutation ($input: CreateExpenseInput!) { createExpense(input: $input) { instance { ${selection} } } }`,
        variables: { input: { values, idempotencyKey: 'one' } },
      });
    const first = await create('instanceId description');

    replace(LESS);
    await reload('RELOADED');
    const again = await create('instanceId');
    const read = await create('instanceId description');

    expect(first.data.createExpense.instance.description).toBe('Train');
    expect(again.data.createExpense.instance.instanceId).toBe(
      first.data.createExpense.instance.instanceId,
    );
    expect(JSON.stringify(read)).not.toContain('Train');
    expect(codesOf(read).map(([code]) => code)).toEqual(['FORBIDDEN']);
  });

  it('changes nothing where it has a fault', async () => {
    const { ask, replace, reload, page } = await start();

    replace({ roles: { buyer: { form: {} } } });
    await reload('RELOAD_FAILED');

    expect((await ask('web', SUPPLIERS)).status).toBe(200);
    expect(await page()).toContain('roles.buyer');
  });
});

describe('documents of a role', () => {
  const withDocuments = {
    ...ROLES,
    roles: { ...ROLES.roles, buyer: { ...ROLES.roles.buyer, documents: 'documents/buyer' } },
  };
  const COUNT = '"Counts suppliers." query CountSuppliers { suppliers(first: 1) { totalCount } }';
  const FIRST = '"Reads one." query FirstSupplier { supplier(instanceId: "1") { name } }';
  const files = { 'documents/buyer/count.graphql': COUNT, 'documents/all/first.graphql': FIRST };

  it('are the only ones that it runs, by their ids and texts', async () => {
    const { ask } = await start(withDocuments, files);

    expect((await ask('web', { documentId: 'count' })).status).toBe(200);
    expect((await ask('web', { query: COUNT })).status).toBe(200);
    expect(codesOf(await ask('web', SUPPLIERS))).toEqual([['DOCUMENT_NOT_TRUSTED', undefined]]);
    expect((await ask('desk', SUPPLIERS)).status).toBe(200);
    expect(codesOf(await ask('desk', { documentId: 'count' }))).toEqual([
      ['PERSISTED_QUERY_NOT_FOUND', undefined],
    ]);
  });

  it('are found where roles refuse nothing, beside all others', async () => {
    const { ask } = await start(withDocuments, files, { ROLES_MODE: 'log' });

    expect((await ask('web', { documentId: 'count' })).data).toBeDefined();
    expect((await ask('web', SUPPLIERS)).data).toBeDefined();
  });

  it('may not have a pipe among them, for which all requests would wait', async () => {
    const { file, ask, replace, reload, page } = await start(ROLES, files);
    execFileSync('mkfifo', [join(dirname(file), 'documents/buyer/late.graphql')]);

    replace(withDocuments);
    await reload('RELOAD_FAILED');

    expect((await ask('web', SUPPLIERS)).status).toBe(200);
    expect(await page()).toContain('roles.buyer.documents: there is a pipe');
  });

  it('are its tools, while other callers have the common ones', async () => {
    const { file, ...gateway } = await start(withDocuments, files, {
      MCP: 'queries',
      DOCUMENTS: 'examples/mcp/documents',
    });
    const toolsOf = async (caller: string) => {
      const client = await connect(gateway.url, { headers: { 'x-api-key': caller } });
      return (await client.listTools()).tools.map(({ name }) => name);
    };

    expect(await toolsOf('web')).toEqual(['CountSuppliers']);
    expect(await toolsOf('desk')).not.toContain('CountSuppliers');
    expect(file).toContain('roles.json');
  });

  it('are enough for tools, where each role has its own', async () => {
    const { buyer } = withDocuments.roles;
    const { url } = await start({ callers: { web: 'buyer' }, roles: { buyer } }, files, {
      MCP: 'queries',
    });
    const client = await connect(url, { headers: { 'x-api-key': 'web' } });

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['CountSuppliers']);
    await expect(start(withDocuments, files, { MCP: 'queries' })).rejects.toThrow(/DOCUMENTS/);
  });

  it('are the common ones again for a role without documents of its own', async () => {
    const { ask, replace, reload } = await start(withDocuments, files);
    replace(ROLES);
    await reload('RELOADED');

    expect((await ask('web', SUPPLIERS)).status).toBe(200);
  });

  it('end the start where they do not fit, and are taken while it runs', async () => {
    const broken = { ...files, 'documents/buyer/count.graphql': 'query Q { nothing }' };
    await expect(start(withDocuments, broken)).rejects.toThrow(
      /roles\.buyer\.documents: .*count\.graphql/,
    );

    const { file, ask, reload } = await start(withDocuments, files);
    replaceFile(file.replace('roles.json', 'documents/buyer/count.graphql'), FIRST);
    await reload('RELOADED');

    expect((await ask('web', { query: FIRST })).status).toBe(200);
    expect((await ask('web', { query: COUNT })).status).toBe(403);
  });
});
