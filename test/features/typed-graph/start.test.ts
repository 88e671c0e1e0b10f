import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { createSandbox } from '../../../sandbox/index.ts';
import { executeAs } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { startFormPlatform } from '../../support/form-platform.ts';
import {
  type Env,
  startCountedGateway,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';

const writeJson = (content: object) => join(writeFolder({ 'file.json': content }), 'file.json');

const start = (env: Env) => startGateway({ TYPED_FORMS: '*', ...env });

async function typeNames({ dataOf }: Pick<TestGateway, 'dataOf'>): Promise<string[]> {
  const { __schema } = await dataOf('{ __schema { types { name } } }');
  return __schema.types.map(({ name }: { name: string }) => name);
}

describe('the start of the typed graph', () => {
  it.each([
    ['e*p*o*e', 'Employee'],
    ['*pens*', 'Expense'],
    ['*e', 'Employee Expense'],
    ['*,!*e', 'PurchaseRequest Supplier'],
    ['supplier*', 'Supplier'],
    ['supp*pplier, employee*employee', ''],
    ['SUPPLIER', ''],
    ['e**e', 'Employee Expense'],
  ])('maps the forms of the pattern %s: %s', async (pattern, mapped) => {
    const types = await typeNames(await start({ TYPED_FORMS: pattern }));

    const forms = ['Employee', 'Expense', 'PurchaseRequest', 'Supplier'];
    expect(forms.filter((name) => types.includes(name)).join(' ')).toBe(mapped);
  });

  it('maps the configured forms, with their aliases', async () => {
    const gateway = await start({
      TYPED_FORMS: 'purchase-*, employee, e*, !expense',
      TYPED_ALIASES: writeJson({ employee: { name: 'Person', fields: { hiredOn: 'since' } } }),
    });

    const types = await typeNames(gateway);
    expect(types).toEqual(expect.arrayContaining(['PurchaseRequest', 'Person']));
    expect(types).not.toContain('Expense');
    expect(types).not.toContain('Supplier');
    expect(
      await gateway.dataOf(`{
        person(instanceId: "1") { since }
        purchaseRequest(instanceId: "1") { supplier { __typename } requester { __typename } }
      }`),
    ).toEqual({
      person: { since: '2012-03-01' },
      purchaseRequest: {
        supplier: { __typename: 'GenericInstance' },
        requester: { __typename: 'Person' },
      },
    });
  });

  it('names the aliases of forms that are not there', async () => {
    const { logged } = await start({
      TYPED_ALIASES: writeJson({ employee: { name: 'Person' }, emploee: { name: 'Worker' } }),
      LOG_LEVEL: 'warn',
    });

    const named = logged().filter(({ reason }) => String(reason).includes('TYPED_ALIASES'));
    expect(named).toMatchObject([{ form: 'emploee' }]);
  });

  it('reads the definitions as the platform’s first user, where callers of the sandbox sign in', async () => {
    const gateway = await start({ IDENTITY: 'user' });

    expect(await typeNames(gateway)).toContain('PurchaseRequest');
    expect((await gateway.execute('{ suppliers { nodes { name } } }')).errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  it('uses the snapshot’s definitions of forms and rules while the platform is down', async () => {
    const sandbox = createSandbox({ file: ':memory:' });
    const TYPED_SNAPSHOT = join(writeFolder({}), 'snapshot.json');
    const env = {
      UPSTREAM_URL: await sandbox.listen({ port: 0, host: '127.0.0.1' }),
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD: 'demo',
      TYPED_SNAPSHOT,
      TYPED_RULES: 'approval-level@1.0',
    };
    const types = await typeNames(await start(env));
    await sandbox.close();

    const second = await start(env);

    expect(await typeNames(second)).toEqual(types);
    expect(types).toContain('Supplier');
    for (const document of [
      '{ suppliers { nodes { name } } }',
      'mutation { executeApprovalLevelV1_0(input: { parameters: { amount: 4 } }) { outputs { value } } }',
    ]) {
      const { errors } = await second.execute(document);
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    }
    expect(readFileSync(TYPED_SNAPSHOT, 'utf8')).not.toContain('/v1.0');
  });

  it('serves the generic graph where no definitions are available', async () => {
    const { env } = await scriptPlatform(() => ({ status: 404, body: {} }));

    const TYPED_SNAPSHOT = writeJson({ kind: 'something else' });
    const gateway = await start({ ...env, TYPED_SNAPSHOT, LOG_LEVEL: 'warn' });

    expect(gateway.logged()).toContainEqual(
      expect.objectContaining({
        msg: 'TYPED_SNAPSHOT cannot be read',
        reason: 'it is no snapshot of definitions',
        file: TYPED_SNAPSHOT,
        advice: expect.stringContaining('remove it'),
      }),
    );
    const types = await typeNames(gateway);
    expect(types).toContain('GenericInstance');
    expect(types).not.toContain('Supplier');
  });

  it('goes on where the snapshot cannot be written, and logs the reason and the file', async () => {
    const TYPED_SNAPSHOT = '/nowhere/snapshot.json';

    const gateway = await start({ TYPED_SNAPSHOT, LOG_LEVEL: 'warn' });

    expect(await typeNames(gateway)).toContain('Supplier');
    const lines = gateway.logged().filter(({ msg }) => String(msg).startsWith('TYPED_SNAPSHOT'));
    expect(lines).toEqual([
      {
        level: 40,
        time: expect.any(String),
        reason: 'ENOENT',
        file: TYPED_SNAPSHOT,
        advice: expect.stringContaining('folder'),
        msg: 'TYPED_SNAPSHOT cannot be written',
      },
    ]);
  });

  it('makes no call where it is off', async () => {
    const gateway = await startCountedGateway({ TYPED_FORMS: 'none' });

    expect(await typeNames(gateway)).not.toContain('Supplier');
    expect(gateway.calls).toEqual([]);
  });
});

const THING = { idForm: 'thing', fields: [{ name: 'size', type: 'text' }] };

/** Starts a gateway in front of a platform whose definitions can be read unless `isFailing`. */
async function startThings(env: Env = {}, isFailing = true) {
  const platform = await startFormPlatform([THING]);
  if (isFailing) platform.fail(/\/forms/);
  const gateway = await startGateway({ ...platform.env, LOG_LEVEL: 'info', ...env });
  const readyz = async () => {
    const response = await fetch(`${gateway.url}/readyz`);
    return { status: response.status, body: (await response.json()) as object };
  };
  return { ...gateway, platform, readyz };
}

describe('a gateway that could not read the form definitions yet', () => {
  it('is not ready and logs why, and is ready as soon as it has read them', async () => {
    const { readyz, platform, dataOf, logged } = await startThings();

    expect(await readyz()).toEqual({
      status: 503,
      body: { status: 'unavailable', checks: { schema: 'unavailable', token: 'ok' } },
    });
    expect(logged()).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: 'the form definitions cannot be read from the platform',
        advice: expect.stringMatching(/not ready .*TYPED_FORMS=none/),
        err: expect.objectContaining({ operation: 'getForms', status: 503 }),
      }),
    );
    platform.fail(undefined);
    // It tries again after a second, and later after a minute.
    await expect.poll(async () => (await readyz()).status, { timeout: 30_000 }).toBe(200);
    expect((await readyz()).body).toMatchObject({ status: 'ok', checks: { schema: 'ok' } });
    await dataOf('{ things(first: 1) { nodes { size } } }');
  });

  it('logs a trusted document without __typename once its types are known', async () => {
    const DOCUMENTS = writeFolder({
      'early.graphql': '{ node(id: "x") { id } }',
      'late.graphql': '{ thing(instanceId: 1) { size } node(id: "x") { id } }',
      'typed.graphql': '{ thing(instanceId: 1) { size } }',
    });
    const { platform, logged } = await startThings({ DOCUMENTS });
    const lacking = () => logged().filter(({ msg }) => String(msg).includes('without __typename'));
    const early = { count: 1, documents: ['early'] };
    expect(lacking()).toMatchObject([early]);

    platform.fail(undefined);

    await expect.poll(lacking).toMatchObject([early, { count: 1, documents: ['late'] }]);
  });

  it('answers a document with any part of a form by 503 with the reason, and it may be sent again', async () => {
    const { url, logged } = await startThings();
    for (const query of [
      '{ things { nodes { size } } }',
      'mutation { createThing(input: { values: {} }) { thing { id } } }',
      'query ($where: ThingFilterInput) { __typename @skip(if: true) }',
      '{ node(id: "x") { ... on Thing { size } } }',
    ]) {
      const { status, headers, errors } = await executeAs(url, query);

      expect(status, query).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(0);
      expect(errors).toMatchObject([
        {
          message: expect.stringMatching(/definitions have not been read .*failed to process/),
          extensions: {
            code: 'UPSTREAM_UNAVAILABLE',
            retryable: true,
            retryAfterMs: expect.any(Number),
            upstream: { operation: 'getForms', status: 503 },
          },
        },
      ]);
    }
    const operations = logged().filter(({ msg }) => msg === 'operation');
    expect(operations).toMatchObject(Array(4).fill({ codes: ['UPSTREAM_UNAVAILABLE'] }));
  });

  it('serves generic queries, and refuses what no form would bring by 400', async () => {
    const { execute, dataOf, platform } = await startThings();

    expect(await execute('{ form(formId: "thing") { nam } }')).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    platform.fail(undefined);
    expect(await dataOf('{ form(formId: "thing") { formId } }')).toEqual({
      form: { formId: 'thing' },
    });
  });

  it('is ready with a snapshot, without types of forms, and without credentials of its own', async () => {
    const snapshot = { kind: 'caseway-definitions-1', forms: [THING], rules: [] };
    for (const env of [
      { TYPED_SNAPSHOT: writeJson(snapshot) },
      { TYPED_FORMS: 'none' },
      { UPSTREAM_USERNAME: '', UPSTREAM_PASSWORD: '', IDENTITY: 'forward' },
    ]) {
      const { readyz } = await startThings(env);
      expect(await readyz()).toMatchObject({ status: 200, body: { checks: { schema: 'ok' } } });
    }
  });
});

it('form definitions that cannot be read any more leave the gateway ready, and are reported as old', async () => {
  const settings = { METRICS_PORT: '0', CACHE_DEFINITIONS_MS: '1' };
  const { readyz, logged, platform, metrics } = await startThings(settings, false);
  platform.fail(/\/forms/);

  const old = () => logged().find(({ msg }) => String(msg).endsWith('have grown old'));
  await expect.poll(old).toMatchObject({ level: 40, ageSeconds: expect.any(Number) });
  const page = await metrics();

  expect((await readyz()).status).toBe(200);
  expect(page).toMatch(/^caseway_typed_forms 1$/m);
  expect(page).toMatch(/^caseway_definitions_age_seconds \d+(\.\d+)?$/m);
});
