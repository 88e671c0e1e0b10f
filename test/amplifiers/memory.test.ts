import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { callerKeys } from '../identity/support.ts';
import { type Env, postBody, postGraphql } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';
import { scriptPlatform } from '../support/scripted-platform.ts';
import { startProcess } from './support.ts';

const MAX_GROWTH_MB = 64;
const TOKEN = 'secret-token-abc';

/** Text that no process may print: the platform's token, stack traces, product names and HTML. */
const LEAK = new RegExp(
  `${TOKEN}|node_modules|\\.ts:\\d+|Maximum call stack|Did you mean|apollo|graphql-js|<html`,
  'i',
);

/** Starts a gateway in a process of its own. It ends with the test, and has printed no leak. */
async function start(env: Env = { SANDBOX_FILE: ':memory:' }) {
  const gateway = await startProcess(env);
  onTestFinished(async () => {
    await gateway.stop();
    expect(gateway.output()).not.toMatch(LEAK);
  });
  return gateway;
}

it.each([
  { what: 'new documents', isByHash: false },
  { what: 'new documents with their hashes', isByHash: true },
])('a process keeps little of 300 $what of 80 KB', { timeout: 120_000 }, async ({ isByHash }) => {
  const { url, memoryMb } = await start();
  const fields = 'form(formId: "a") { id name formId } '.repeat(34);
  const send = (n: number) => {
    const query = `{ __typename ${fields} } # ${n} ${'x'.repeat(80_000)}`;
    const persistedQuery = { version: 1, sha256Hash: hash('sha256', query) };
    return postGraphql(url, isByHash ? { query, extensions: { persistedQuery } } : { query });
  };
  for (let n = 0; n < 60; n++) await send(n);
  const before = memoryMb();

  for (let n = 60; n < 360; n++) expect((await send(n)).status).toBe(200);

  expect(memoryMb() - before).toBeLessThan(MAX_GROWTH_MB);
});

const PAGE_BYTES = 9_000_000;
const page = (value: string) => Buffer.from(`{"items":[{"idInstance":1,"values":{"a":${value}}}]}`);

/** Starts a platform whose lists are these pages, by the id of their form, and a gateway. */
async function startBeforePages(pages: Readonly<Record<string, Buffer>>) {
  const platform = createServer((request, response) => {
    const [, formId = ''] = /forms\/(\w+)\//.exec(request.url ?? '') ?? [];
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.url === '/v1.0/token') {
      response.end(JSON.stringify({ access_token: TOKEN, expires_in: 3600 }));
    } else {
      // The total states that there are no more pages.
      response.setHeader('x-total-count', '1').end(pages[formId] ?? page('1'));
    }
  });
  return start({
    UPSTREAM_URL: await listen(platform),
    UPSTREAM_USERNAME: 'u',
    UPSTREAM_PASSWORD: 'p',
    // The platform runs in this process. A busy machine may delay its responses.
    UPSTREAM_TIMEOUT_MS: '60000',
  });
}

it.each([
  ['objects', `[${'{},'.repeat(PAGE_BYTES / 3)}{}]`],
  ['numbers', `[${'1,'.repeat(PAGE_BYTES / 2)}1]`],
  ['rows', `[${'{"a":"b","n":1.5},'.repeat(PAGE_BYTES / 18)}{}]`],
  ['text', `"${'x'.repeat(PAGE_BYTES)}"`],
])(
  'operations that read many pages of 9 MB of %s neither end the process nor hold up others',
  async (_what, value) => {
    const { url, isAlive, cpuMs } = await startBeforePages({ large: page(value) });
    const read = (formId: string, count: number) => {
      const pages = Array.from(
        { length: count },
        (_, n) =>
          `a${n}: instances(formId: "${formId}", first: 1, page: ${n + 1}) { nodes { id } }`,
      );
      return postBody(url, { query: `{ ${pages.join(' ')} }` }).then((answer) => answer.text());
    };
    let isOver = false;
    let longestMs = 0;
    const pinging = (async () => {
      while (!isOver) {
        const before = cpuMs();
        await fetch(`${url}/livez`).then((answer) => answer.text());
        longestMs = Math.max(longestMs, cpuMs() - before);
      }
    })();

    const reading = [6, 6, 20, 20, 6].map((count) => read('large', count));
    const others: string[] = [];
    let answers: string[] = [];
    try {
      for (let n = 0; n < 10; n++) others.push(await read(`small${n}`, 1));
      answers = await Promise.all(reading);
    } finally {
      isOver = true;
      await pinging;
    }

    for (const other of others) expect(other).toContain('{"data":{"a0":{"nodes":[{"id"');
    for (const answer of answers) expect(answer).toMatch(/^\{"(data|errors)"/);
    expect(answers.join()).toContain('"code":"ANSWER_TOO_LARGE"');
    expect(isAlive()).toBe(true);
    expect(longestMs).toBeLessThan(1_000);
  },
  120_000,
);

it('streams with pages of 30 MB after parsing do not end the process', async () => {
  const { url } = await startBeforePages({ dense: page(`[${'{},'.repeat(500_000)}{}]`) });
  for (let first = 1; first <= 24; first++) {
    const query = `subscription @every(seconds: 600) { instances(formId: "dense", first: ${first}) { nodes { instanceId } } }`;
    const response = await postBody(url, { query }, { accept: 'text/event-stream' });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('data: ')) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) break;
      text += value;
    }

    expect(text).toContain('data: {"data":{"instances":{"nodes":[{"instanceId":"1"}]}}}');
  }
});

it('a process serves every other client while 10,000 connections idle after a request', {
  timeout: 180_000,
}, async () => {
  const { url } = await start();
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  while (sockets.length < 10_000) {
    const batch = Array.from({ length: 100 }, () => connect(Number(port), hostname));
    for (const socket of batch) socket.on('error', () => undefined);
    sockets.push(...batch);
    await Promise.all(batch.map((socket) => once(socket, 'connect')));
    // Connections without a whole request time out before all are open.
    for (const socket of batch) socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  }

  for (let count = 0; count < 20; count++) {
    const answer = await postGraphql(url, { query: '{ __typename }' }, { connection: 'close' });
    expect(answer.status).toBe(200);
  }
});

it('a caller whose reads the platform never answers leaves the reads of others alone', async () => {
  const { promise: never } = Promise.withResolvers<never>();
  const platform = await scriptPlatform(({ url }) =>
    url.includes('/forms/silent') ? never : { body: [] },
  );
  const keys = callerKeys('ann', 'bob');
  const { url } = await start({ ...platform.env, ...keys, UPSTREAM_TIMEOUT_MS: '1000' });
  const read = (caller: string, formId: string) => {
    const query = `{ instances(formId: "${formId}") { nodes { id } } }`;
    return postGraphql(url, { query }, { 'x-api-key': caller });
  };
  let isOver = false;
  const codes = new Set<unknown>();
  const harming = Array.from({ length: 25 }, async (_, n) => {
    while (!isOver) {
      const { errors } = await read('ann', `silent${n}`);
      codes.add(errors?.[0]?.extensions['code']);
    }
  });
  // From then on the circuit breaker is open, until a probe of bob's is answered.
  await expect.poll(() => [...codes]).toContain('UPSTREAM_UNAVAILABLE');
  await expect.poll(() => read('bob', 'first'), { timeout: 10_000 }).not.toHaveProperty('errors');

  const answers = [];
  for (let n = 0; n < 100; n++) answers.push(await read('bob', `form${n}`));
  isOver = true;
  await Promise.all(harming);

  expect(answers.filter(({ errors }) => errors === undefined).length).toBeGreaterThanOrEqual(95);
}, 120_000);
