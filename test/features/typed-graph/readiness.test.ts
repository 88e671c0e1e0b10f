import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { executeAs } from '../../identity/support.ts';
import { writeFolder } from '../../support/folder.ts';
import { startFormPlatform } from '../../support/form-platform.ts';
import { type Env, startGateway } from '../../support/gateway.ts';

const THING = { idForm: 'thing', fields: [{ name: 'size', type: 'text' }] };

/** Starts a gateway in front of a platform whose definitions can be read unless `isFailing`. */
async function start(env: Env = {}, isFailing = true) {
  const platform = await startFormPlatform([THING]);
  if (isFailing) platform.fail(/\/forms/);
  const gateway = await startGateway({ ...platform.env, LOG_LEVEL: 'info', ...env });
  const readyz = async () => {
    const response = await fetch(`${gateway.url}/readyz`);
    return {
      status: response.status,
      body: (await response.json()) as { status: string; checks: object },
    };
  };
  return { ...gateway, platform, readyz };
}

describe('a gateway that could not read the form definitions yet', () => {
  it('is not ready, and is ready as soon as it has read them', async () => {
    const { readyz, platform, execute } = await start();

    expect(await readyz()).toEqual({
      status: 503,
      body: { status: 'unavailable', checks: { schema: 'unavailable', token: 'ok' } },
    });
    platform.fail(undefined);
    await expect.poll(async () => (await readyz()).status, { timeout: 5_000 }).toBe(200);
    expect((await readyz()).body).toMatchObject({ status: 'ok', checks: { schema: 'ok' } });
    expect((await execute('{ things(first: 1) { nodes { size } } }')).errors).toBeUndefined();
  });

  it('logs a trusted document without __typename once its types are known', async () => {
    const DOCUMENTS = writeFolder({
      'early.graphql': '{ node(id: "x") { id } }',
      'late.graphql': '{ thing(instanceId: 1) { size } node(id: "x") { id } }',
      'typed.graphql': '{ thing(instanceId: 1) { size } }',
    });
    const { platform, logged } = await start({ DOCUMENTS });
    const lacking = () => logged().filter(({ msg }) => String(msg).includes('without __typename'));
    expect(lacking()).toMatchObject([{ count: 1, documents: ['early'] }]);

    platform.fail(undefined);

    await expect.poll(lacking).toMatchObject([
      { count: 1, documents: ['early'] },
      { count: 1, documents: ['late'] },
    ]);
  });

  it.each([
    ['a field for a form', '{ things { nodes { size } } }'],
    ['a mutation of a form', 'mutation { createThing(input: { values: {} }) { thing { id } } }'],
    ['a type of a form', 'query ($where: ThingFilterInput) { __typename @skip(if: true) }'],
    ['a fragment on a form', '{ node(id: "x") { ... on Thing { size } } }'],
  ])(
    'answers a document with %s by 503 with the reason, and it may be sent again',
    async (_what, query) => {
      const { url, logged } = await start();

      const { status, headers, errors } = await executeAs(url, query);

      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(0);
      expect(errors).toEqual([
        {
          message: expect.stringMatching(/definitions have not been read .*failed to process/),
          extensions: expect.objectContaining({
            code: 'UPSTREAM_UNAVAILABLE',
            retryable: true,
            retryAfterMs: expect.any(Number),
            upstream: { operation: 'getForms', status: 503 },
          }),
        },
      ]);
      expect(logged().find(({ msg }) => msg === 'operation')).toMatchObject({
        codes: ['UPSTREAM_UNAVAILABLE'],
      });
    },
  );

  it('serves generic queries, and refuses what no form would bring by 400', async () => {
    const { execute, platform } = await start();

    const { status, errors } = await execute('{ form(formId: "thing") { nam } }');
    platform.fail(undefined);
    const { data } = await execute('{ form(formId: "thing") { formId } }');

    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(data).toEqual({ form: { formId: 'thing' } });
  });

  it('logs that it is not ready, and names the setting', async () => {
    const { logged } = await start();

    expect(logged()).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: 'the form definitions cannot be read from the platform',
        advice: expect.stringMatching(/not ready .*TYPED_FORMS=none/),
        err: expect.objectContaining({ operation: 'getForms', status: 503 }),
      }),
    );
  });

  it('is ready with a snapshot, without types of forms, and without credentials of its own', async () => {
    const snapshot = { kind: 'caseway-definitions-1', forms: [THING], rules: [] };
    const TYPED_SNAPSHOT = join(writeFolder({ 'snapshot.json': snapshot }), 'snapshot.json');
    const none = { UPSTREAM_USERNAME: '', UPSTREAM_PASSWORD: '', IDENTITY: 'forward' };

    for (const env of [{ TYPED_SNAPSHOT }, { TYPED_FORMS: 'none' }, none]) {
      const { readyz } = await start(env);
      expect(await readyz()).toMatchObject({ status: 200, body: { checks: { schema: 'ok' } } });
    }
  });
});

it('form definitions that cannot be read any more leave the gateway ready, and are reported as old', async () => {
  const { readyz, logged, platform, metrics } = await start(
    { METRICS_PORT: '0', CACHE_DEFINITIONS_MS: '1' },
    false,
  );
  platform.fail(/\/forms/);

  const old = () => logged().find(({ msg }) => String(msg).endsWith('have grown old'));
  await expect
    .poll(old, { timeout: 10_000 })
    .toMatchObject({ level: 40, ageSeconds: expect.any(Number) });
  const page = await metrics();

  expect((await readyz()).status).toBe(200);
  expect(page).toMatch(/^caseway_typed_forms 1$/m);
  expect(page).toMatch(/^caseway_definitions_age_seconds \d+(\.\d+)?$/m);
});
