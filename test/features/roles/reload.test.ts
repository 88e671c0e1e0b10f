import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { callerKeys } from '../../identity/support.ts';
import { replaceFile, startReloading } from '../../reload/support.ts';
import { type Env, postGraphql } from '../../support/gateway.ts';
import { subscribe } from '../live/support.ts';
import { connect } from '../mcp/support.ts';
import { codesOf, EXPENSE, writeRoles } from './support.ts';

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
  const ask = (caller: string, body: object = SUPPLIERS) =>
    postGraphql(gateway.url, body, { 'x-api-key': caller });
  return {
    ...gateway,
    file,
    ask,
    statusOf: async (caller: string, body?: object) => (await ask(caller, body)).status,
    /** Subscribes to the number of suppliers. */
    watch: (caller: string) =>
      subscribe(gateway.url, 'subscription { suppliers(first: 1) { totalCount } }', {
        headers: { 'x-api-key': caller },
      }),
    /** Replaces the file, and waits until it is in use or refused. */
    async replace(next: object, event: 'RELOADED' | 'RELOAD_FAILED' = 'RELOADED') {
      replaceFile(file, JSON.stringify(next));
      await gateway.reload(event);
    },
    /** Lists the names of a caller's tools. */
    async listTools(caller: string) {
      const client = await connect(gateway.url, { headers: { 'x-api-key': caller } });
      return (await client.listTools()).tools.map(({ name }) => name);
    },
  };
}

const SUPPLIERS = { query: '{ suppliers(first: 1) { totalCount } }' };

describe('a changed file of roles', () => {
  it('refuses lost permissions, ends the role’s streams, and keeps other streams', async () => {
    const { statusOf, watch, replace } = await start();
    const [lost, kept] = [await watch('web'), await watch('desk')];
    await Promise.all([lost.next(), kept.next()]);
    expect(await statusOf('web')).toBe(200);

    await replace(LESS);

    await lost.ended;
    expect(await statusOf('web')).toBe(403);
    expect((await watch('web')).status).toBe(403);
    expect(await statusOf('desk')).toBe(200);
    expect(kept.text()).not.toContain('event: complete');
  });

  it('replaces the reserves of calls, and stays in use if the new ones exceed the budget', async () => {
    const reserving = (callsReserved: number) => ({
      ...ROLES,
      roles: { ...ROLES.roles, buyer: { ...ROLES.roles.buyer, callsReserved } },
    });
    const { ask, replace } = await start(ROLES, {}, { UPSTREAM_CALLS_PER_MINUTE: '120' });

    await replace(reserving(61), 'RELOAD_FAILED');
    await replace(reserving(60));
    for (let count = 0; count < 30; count++) await ask('desk');

    const codes: unknown[] = [];
    for (let count = 0; count < 5; count++) codes.push(codesOf(await ask('web')));
    expect(codes).toEqual([[], [], [], [], []]);
  });

  it('ends the streams of a caller whose role has changed or is gone', async () => {
    const { statusOf, watch, replace } = await start();
    const stream = await watch('web');
    await stream.next();

    await replace({ ...ROLES, callers: { desk: 'clerk' } });

    await stream.ended;
    expect(await statusOf('web')).toBe(403);
  });

  it('keeps the outcomes of keys, and shows only the parts that the role may read now', async () => {
    const { ask, replace } = await start();
    const create = (selection: string) =>
      ask('web', {
        query: `mutation ($input: CreateExpenseInput!) { createExpense(input: $input) { instance { ${selection} } } }`,
        variables: { input: { values: EXPENSE, idempotencyKey: 'one' } },
      });
    const first = await create('instanceId description');

    await replace(LESS);
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
    const { statusOf, replace, page } = await start();

    await replace({ roles: { buyer: { form: {} } } }, 'RELOAD_FAILED');

    expect(await statusOf('web')).toBe(200);
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
    const { ask, statusOf } = await start(withDocuments, files);

    expect(await statusOf('web', { documentId: 'count' })).toBe(200);
    expect(await statusOf('web', { query: COUNT })).toBe(200);
    expect(codesOf(await ask('web'))).toEqual([['DOCUMENT_NOT_TRUSTED', undefined]]);
    expect(await statusOf('desk')).toBe(200);
    expect(codesOf(await ask('desk', { documentId: 'count' }))).toEqual([
      ['PERSISTED_QUERY_NOT_FOUND', undefined],
    ]);
  });

  it('are found where roles refuse nothing, beside all others', async () => {
    const { ask } = await start(withDocuments, files, { ROLES_MODE: 'log' });

    expect((await ask('web', { documentId: 'count' })).data).toBeDefined();
    expect((await ask('web')).data).toBeDefined();
  });

  it('may not have a pipe among them, for which all requests would wait', async () => {
    const { file, statusOf, replace, page } = await start(ROLES, files);
    execFileSync('mkfifo', [join(dirname(file), 'documents/buyer/late.graphql')]);

    await replace(withDocuments, 'RELOAD_FAILED');

    expect(await statusOf('web')).toBe(200);
    expect(await page()).toContain('roles.buyer.documents: there is a pipe');
  });

  it('are its tools, while other callers have the common ones', async () => {
    const { listTools } = await start(withDocuments, files, {
      MCP: 'queries',
      DOCUMENTS: 'examples/mcp/documents',
    });

    expect(await listTools('web')).toEqual(['CountSuppliers']);
    expect(await listTools('desk')).not.toContain('CountSuppliers');
  });

  it('are enough for tools, where each role has its own', async () => {
    const { buyer } = withDocuments.roles;
    const roles = { callers: { web: 'buyer' }, roles: { buyer } };
    const { listTools } = await start(roles, files, { MCP: 'queries' });

    expect(await listTools('web')).toEqual(['CountSuppliers']);
    await expect(start(withDocuments, files, { MCP: 'queries' })).rejects.toThrow(/DOCUMENTS/);
  });

  it('are the common ones again for a role without documents of its own', async () => {
    const { statusOf, replace } = await start(withDocuments, files);
    await replace(ROLES);

    expect(await statusOf('web')).toBe(200);
  });

  it('end the start where they do not fit, and are taken while it runs', async () => {
    const broken = { ...files, 'documents/buyer/count.graphql': 'query Q { nothing }' };
    await expect(start(withDocuments, broken)).rejects.toThrow(
      /roles\.buyer\.documents: .*count\.graphql/,
    );

    const { file, statusOf, reload } = await start(withDocuments, files);
    replaceFile(file.replace('roles.json', 'documents/buyer/count.graphql'), FIRST);
    await reload('RELOADED');

    expect(await statusOf('web', { query: FIRST })).toBe(200);
    expect(await statusOf('web', { query: COUNT })).toBe(403);
  });
});
