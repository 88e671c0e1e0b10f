import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { createSandbox } from '../../../sandbox/index.ts';
import { writeFolder } from '../../support/folder.ts';
import { type Env, startCountedGateway, startGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';

const TYPES = '{ __schema { types { name } } }';

const namesIn = ({ data }: { data?: { __schema: { types: { name: string }[] } } }) =>
  (data?.__schema.types ?? []).map(({ name }) => name);

const start = (env: Env) => startGateway({ TYPED_FORMS: '*', ...env });

describe('the start of the typed graph', () => {
  it('maps the configured forms, with their aliases', async () => {
    const names = { employee: { name: 'Person', fields: { hiredOn: 'since' } } };
    const folder = writeFolder({ 'aliases.json': names });

    const { execute } = await start({
      TYPED_FORMS: 'purchase-*, employee, e*, !expense',
      TYPED_ALIASES: join(folder, 'aliases.json'),
    });

    const types = namesIn(await execute(TYPES));
    expect(types).toEqual(expect.arrayContaining(['PurchaseRequest', 'Person']));
    expect(types).not.toEqual(expect.arrayContaining(['Expense']));
    expect(types).not.toEqual(expect.arrayContaining(['Supplier']));
    const { data } = await execute(`{
      person(instanceId: "1") { since }
      purchaseRequest(instanceId: "1") { supplier { __typename } requester { __typename } }
    }`);
    expect(data.person).toEqual({ since: '2012-03-01' });
    expect(data.purchaseRequest.requester).toEqual({ __typename: 'Person' });
    expect(data.purchaseRequest.supplier).toEqual({ __typename: 'GenericInstance' });
  });

  it('names the aliases of forms that are not there', async () => {
    const folder = writeFolder({
      'aliases.json': { employee: { name: 'Person' }, emploee: { name: 'Worker' } },
    });
    const env = {
      TYPED_FORMS: '*',
      TYPED_ALIASES: join(folder, 'aliases.json'),
      LOG_LEVEL: 'warn',
    };

    const { logged } = await startGateway(env);

    expect(logged().filter(({ reason }) => String(reason).includes('TYPED_ALIASES'))).toMatchObject(
      [{ form: 'emploee' }],
    );
  });

  it('reads the definitions as the platform’s first user, where callers of the sandbox sign in', async () => {
    const { execute } = await start({ IDENTITY: 'user' });

    expect(namesIn(await execute(TYPES))).toContain('PurchaseRequest');
    expect((await execute('{ suppliers { nodes { name } } }')).errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  it('uses the snapshot’s definitions of forms and rules while the platform is down', async () => {
    const sandbox = createSandbox({ file: ':memory:' });
    const snapshot = join(writeFolder({}), 'snapshot.json');
    const env = {
      UPSTREAM_URL: await sandbox.listen({ port: 0, host: '127.0.0.1' }),
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD: 'demo',
      TYPED_SNAPSHOT: snapshot,
      TYPED_RULES: 'approval-level@1.0',
    };
    const first = await start(env);
    const types = namesIn(await first.execute(TYPES));
    await sandbox.close();

    const second = await start(env);

    expect(namesIn(await second.execute(TYPES))).toEqual(types);
    expect(types).toContain('Supplier');
    for (const document of [
      '{ suppliers { nodes { name } } }',
      'mutation { executeApprovalLevelV1_0(input: { parameters: { amount: 4 } }) { outputs { value } } }',
    ]) {
      const { errors } = await second.execute(document);
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    }
    expect(readFileSync(snapshot, 'utf8')).not.toContain('/v1.0');
  });

  it('serves the generic graph where no definitions are available', async () => {
    const { env } = await scriptPlatform(() => ({ status: 404, body: {} }));
    const damaged = join(
      writeFolder({ 'snapshot.json': { kind: 'something else' } }),
      'snapshot.json',
    );

    const { execute } = await start({ ...env, TYPED_SNAPSHOT: damaged });

    const types = namesIn(await execute(TYPES));
    expect(types).toContain('GenericInstance');
    expect(types).not.toContain('Supplier');
  });

  it('makes no call where it is off', async () => {
    const { execute, calls } = await startCountedGateway({ TYPED_FORMS: 'none' });

    expect(namesIn(await execute(TYPES))).not.toContain('Supplier');
    expect(calls).toEqual([]);
  });
});
