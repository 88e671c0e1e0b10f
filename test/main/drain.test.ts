import { Agent, get, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';

import { connectTo, requestFor, statusesOf } from '../http/support/raw-client.ts';
import { startChainPlatform } from '../support/chain-platform.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';
import { runMain } from '../support/run.ts';

const ANY_PORT = { PORT: '0', SANDBOX_FILE: ':memory:', TYPED_FORMS: 'none' };
/** Longer than the test holds a call, even on a busy machine. */
const PATIENT = { UPSTREAM_TIMEOUT_MS: '60000' };
const READ = '{ form(formId: "link") { name } }';
const CREATE =
  'mutation { createInstance(input: { formId: "link", values: {} }) { instance { instanceId } } }';

interface Answer {
  readonly status: number | undefined;
  /** Whether it closes the connection. */
  readonly isLast: boolean;
  readonly body: unknown;
}

/** A client that keeps one connection. */
function keepAliveClient(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return (query: string) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(
        `${url}/graphql`,
        { method: 'POST', agent, headers },
        async (response) => {
          const isLast = response.headers.connection === 'close';
          resolve({ status: response.statusCode, isLast, body: JSON.parse(await text(response)) });
        },
      );
      sent.on('error', reject).end(JSON.stringify({ query }));
    });
}

/** Reads the status of the readiness on a new connection; `undefined` if the port is closed. */
const readiness = (url: string) =>
  new Promise<number | undefined>((resolve) => {
    get(`${url}/readyz`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', () => resolve(undefined));
  });

async function start(env: Env) {
  const run = runMain([], { ...ANY_PORT, ...PATIENT, LOG_LEVEL: 'silent', ...env });
  return { run, url: await run.printed(/GraphQL at (http:\S+)\/graphql/) };
}

describe('graceful shutdown', () => {
  it('is not ready, keeps serving, closes each connection after its last response, and exits with 0', async () => {
    const { run, url } = await start({ NODE_ENV: 'production' });
    const clients = Array.from({ length: 20 }, () => keepAliveClient(url));
    const before = await Promise.all(clients.map((execute) => execute('{ forms { totalCount } }')));
    // Each client continues until a response closes its connection.
    const loads = clients.map(async (execute) => {
      const answers: Answer[] = [];
      while (!answers.at(-1)?.isLast) answers.push(await execute('{ forms { totalCount } }'));
      return answers;
    });

    run.stop();
    // A load balancer would have noticed by now.
    await expect.poll(() => readiness(url), { interval: 5 }).toBe(503);
    const late = await keepAliveClient(url)('{ forms { totalCount } }');
    const answers = (await Promise.all(loads)).flat();

    expect(before.some(({ isLast }) => isLast)).toBe(false);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(late).toMatchObject({ status: 200, isLast: true });
    expect((await run.ended).code).toBe(0);
  });

  /** Starts a gateway as a process, with a read that waits for the platform. */
  async function startReading() {
    const platform = await startChainPlatform();
    const { run, url } = await start(platform.env);
    const called = platform.next();
    const answer = keepAliveClient(url)(READ);
    return { run, url, answer, call: await called };
  }

  it('serves a client that connected before it stopped listening and sends its request later', async () => {
    const { run, url, answer, call } = await startReading();
    const client = await connectTo(url);

    run.stop();
    await expect.poll(() => readiness(url), { interval: 5 }).toBeUndefined();
    client.write(requestFor('{ __typename }'));
    const late = await client.closed;
    call.answer();

    expect(statusesOf(late)).toEqual(['200']);
    expect(late).toMatch(/connection: close/i);
    expect(await answer).toMatchObject({ status: 200 });
    expect((await run.ended).code).toBe(0);
  });

  it.each([
    ['a stuck read with an error in JSON', READ, 503, { code: 'SHUTTING_DOWN', retryable: true }],
    [
      'a stuck write with the error that its outcome is unknown',
      CREATE,
      200,
      { code: 'OUTCOME_UNKNOWN', retryable: false },
    ],
  ])('ends %s', async (_what, query, status, extensions) => {
    const platform = await startChainPlatform();
    const { url, close } = await startGateway({
      ...platform.env,
      ...PATIENT,
      ...limits({ shutdownMs: 100 }),
    });
    const called = platform.next();
    const answer = keepAliveClient(url)(query);
    const call = await called;

    const closed = close();

    expect(await answer).toMatchObject({
      status,
      isLast: true,
      body: { errors: [{ extensions }] },
    });
    if (query === READ) await call.dropped;
    await closed;
  });

  it('finishes a write whose client has disconnected', async () => {
    const platform = await startChainPlatform();
    const { run, url } = await start(platform.env);
    const called = platform.next();
    const headers = { 'content-type': 'application/json' };
    const client = request(`${url}/graphql`, { method: 'POST', headers });
    client.on('error', () => undefined).end(JSON.stringify({ query: CREATE }));
    const call = await called;
    client.destroy();

    run.stop();
    await expect.poll(() => readiness(url), { interval: 5 }).toBeUndefined();
    call.answer();
    const { code } = await run.ended;

    expect(code).toBe(0);
    expect(call.isAnswered()).toBe(true);
  });

  it('starts once for two signals at the same time, as Ctrl+C under npm sends them', async () => {
    const { run, url, answer, call } = await startReading();

    run.stop('SIGINT');
    run.stop('SIGTERM');
    await expect.poll(() => readiness(url), { interval: 5 }).toBeUndefined();
    call.answer();

    expect((await answer).status).toBe(200);
    expect((await run.ended).code).toBe(0);
  });

  it('is cut short by a later second signal', async () => {
    const { run, answer } = await startReading();

    const timer = setInterval(() => run.stop('SIGINT'), 100);
    onTestFinished(() => clearInterval(timer));

    await expect(answer).rejects.toThrow();
    expect((await run.ended).code).toBeNull();
  });
});
