import { describe, expect, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import {
  type ScriptedAnswer,
  type SeenRequest,
  scriptPlatform,
} from '../support/scripted-platform.ts';

const ORDER = {
  idForm: 'order',
  name: 'Order',
  fields: [{ name: 'title', type: 'string', label: 'Title' }],
};
const LIMIT = { status: 403, body: { message: 'slow down', errorCode: 'REQUEST_LIMIT_EXCEEDED' } };

/** A platform that takes every change, and is over its limit for every read of instances. */
function answer({ method, url }: SeenRequest): ScriptedAnswer {
  if (method === 'POST' && url.endsWith('/instances'))
    return { status: 201, body: { idInstance: 41 } };
  if (method !== 'GET') return { status: 202, body: '' };
  if (url.includes('/instances')) return LIMIT;
  return { body: url.includes('/forms/') ? ORDER : [ORDER] };
}

async function start(env: Env = {}) {
  const platform = await scriptPlatform(answer);
  const gateway = await startGateway({ ...platform.env, TYPED_FORMS: '*', ...env });
  const changes = () => platform.seen.filter(({ method }) => method !== 'GET').length;
  return { ...gateway, changes };
}

const GENERIC = 'formId: "order", values: { title: "A" }';
const TYPED = 'values: { title: "A" }';

describe('an error beside a change that was made', () => {
  it.each([
    ['createInstance', GENERIC, 'instance { values }'],
    ['updateInstance', `${GENERIC}, instanceId: 41`, 'instance { values }'],
    ['replaceInstance', `${GENERIC}, instanceId: 41`, 'instance { values }'],
    ['createOrder', TYPED, 'instance { title }'],
    ['updateOrder', `${TYPED}, instanceId: 41`, 'instance { title }'],
    ['replaceOrder', `${TYPED}, instanceId: 41`, 'instance { title }'],
    [
      'createInstances',
      `formId: "order", items: [{ ${TYPED} }]`,
      'results { instance { values } }',
    ],
    [
      'updateInstances',
      `formId: "order", items: [{ ${TYPED}, instanceId: 41 }]`,
      'results { instance { values } }',
    ],
    ['createOrders', `items: [{ ${TYPED} }]`, 'results { instance { title } }'],
    ['replaceOrders', `items: [{ ${TYPED}, instanceId: 41 }]`, 'results { instance { title } }'],
  ])(
    'is marked, and %s is retryable only with an idempotency key',
    async (name, input, payload) => {
      for (const key of ['', ', idempotencyKey: "k"']) {
        const { execute, changes } = await start();
        const change = () =>
          execute(`mutation { ${name}(input: { ${input}${key} }) { ${payload} } }`);
        const retryable = key !== '';

        const { errors } = await change();
        if (retryable) await change();

        expect(errors).toMatchObject([
          { extensions: { code: 'RATE_LIMITED', limitOf: 'platform', retryable, written: true } },
        ]);
        expect(changes()).toBe(1);
      }
    },
  );

  it('makes nothing else of the operation retryable, and is no word of a change that was not made', async () => {
    const { execute, changes } = await start();

    const { errors } = await execute(`mutation {
      done: updateInstance(input: { ${GENERIC}, instanceId: 41 }) { instance { values } }
      refused: updateInstance(input: { ${GENERIC}, instanceId: 42 }) { instance { values } }
    }`);

    expect(changes()).toBe(1);
    expect(errors).toMatchObject([
      { path: ['done', 'instance', 'values'], extensions: { retryable: false, written: true } },
      { path: ['refused'], extensions: { code: 'RATE_LIMITED', retryable: false } },
    ]);
    expect(errors?.[1]?.extensions).not.toHaveProperty('written');
  });
});

describe('an error of a team’s own mutation', () => {
  const update = (key = '') =>
    `mutation { updateInstance(input: { formId: "order", instanceId: 1, values: {}${key} }) { __typename } }`;
  const MODULE = `import { ExtensionError } from 'caseway/extension';
  const busy = () => new ExtensionError('BUSY', 'Come again.', { retryable: true });
  const fail = (documents) => ({ calls: 5, resolve: async (_source, _args, { query }) => {
    for (const document of documents) await query(document);
    throw busy();
  } });
  export default {
    typeDefs: 'type Approval { done: Boolean failing: Boolean } extend type Mutation { approve: Int approveKeyed: Int readBack: Int nothing: Int made: Approval }',
    resolvers: {
      Approval: { failing: () => { throw busy(); } },
      Mutation: {
        approve: fail(['${update()}']),
        approveKeyed: fail(['${update(', idempotencyKey: "k"')}']),
        readBack: fail(['${update()}', '{ instance(formId: "order", instanceId: 1) { values } }']),
        nothing: fail([]),
        made: { calls: 5, resolve: (_source, _args, { query }) => query('${update()}').then(() => ({ done: true })) },
      },
    },
  };`;
  const startOwn = () => start({ EXTENSIONS: writeFolder({ 'own.js': MODULE }) });

  it.each([
    ['approve', ['approve'], { code: 'BUSY', retryable: false }],
    ['readBack', ['readBack'], { code: 'RATE_LIMITED', retryable: false }],
    ['made { failing }', ['made', 'failing'], { code: 'BUSY', retryable: false }],
    ['approveKeyed', ['approveKeyed'], { code: 'BUSY', retryable: true }],
  ])(
    '%s is marked as written, and is retryable only with an idempotency key',
    async (field, path, extensions) => {
      const { execute } = await startOwn();

      const { errors } = await execute(`mutation { ${field} }`);

      expect(errors).toMatchObject([{ path, extensions: { ...extensions, written: true } }]);
    },
  );

  it('is marked while the change is still running', async () => {
    const [isSent, isAnswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const platform = await scriptPlatform(async (request) => {
      if (request.url === '/sent') await isSent.promise;
      if (request.method !== 'PATCH') return answer(request);
      isSent.resolve();
      await isAnswered.promise;
      return answer(request);
    });
    const module = `import { ExtensionError } from 'caseway/extension';
    const failOnceSent = async (fetch) => {
      await fetch('${platform.env.UPSTREAM_URL}/sent');
      throw new ExtensionError('BUSY', 'Come again.', { retryable: true });
    };
    export default {
      typeDefs: 'extend type Mutation { raced: Int }',
      resolvers: { Mutation: { raced: {
        calls: 5,
        resolve: (_source, _args, { query, fetch }) => Promise.race([query('${update()}'), failOnceSent(fetch)]),
      } } },
    };`;
    const EXTENSIONS = writeFolder({ 'own.js': module });
    const { execute } = await startGateway({ ...platform.env, EXTENSIONS });

    const { errors } = await execute('mutation { raced }');
    isAnswered.resolve();

    const extensions = { code: 'BUSY', retryable: false, written: true };
    expect(errors).toMatchObject([{ extensions }]);
  });

  it('is not marked for another field’s change, or without a change', async () => {
    const { execute } = await startOwn();

    const both = await execute('mutation { approve nothing }');
    const none = await execute('mutation { nothing }');

    expect(both.errors).toMatchObject([
      { path: ['approve'], extensions: { retryable: false, written: true } },
      { path: ['nothing'], extensions: { code: 'BUSY', retryable: false } },
    ]);
    expect(none.errors).toMatchObject([{ extensions: { code: 'BUSY', retryable: true } }]);
    for (const error of [both.errors?.[1], none.errors?.[0]])
      expect(error?.extensions).not.toHaveProperty('written');
  });
});

it('a refusal by the gateway’s own budget names the gateway and the period, and not the platform’s limit', async () => {
  const { execute } = await start({ UPSTREAM_CALLS_PER_HOUR: '100', CACHE_DEFINITIONS_MS: '0' });
  const read = () => execute('{ form(formId: "order") { name } }');

  let { errors } = await read();
  for (let reads = 0; errors === undefined && reads < 30; reads++) ({ errors } = await read());

  expect(errors).toMatchObject([
    {
      message: expect.stringContaining(
        'The gateway has used up its budget of calls to the platform within an hour',
      ),
      extensions: { code: 'RATE_LIMITED', limitOf: 'gateway', retryable: true },
    },
  ]);
});
