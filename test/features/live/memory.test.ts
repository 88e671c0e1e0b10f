import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';

import { callersWith, EVENTS, startByClock, startListPlatform, subscribe } from './support.ts';

const times = (count: number) => Array.from({ length: count }, (_, index) => index);
const as = (key: string) => ({ 'x-api-key': key });

async function start(env: Readonly<Record<string, string>> = {}) {
  const platform = await startListPlatform();
  return startByClock({ ...platform.env, ...env });
}

/** Opens a stream, and keeps nothing of what was sent. */
function open(url: string, body: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: EVENTS };
    const sent = request(`${url}/graphql`, { method: 'POST', headers }, (response) => {
      response.on('error', () => undefined).once('data', () => resolve(response.statusCode));
    });
    onTestFinished(() => void sent.destroy());
    sent.on('error', reject).end(body);
  });
}

describe('an open stream', () => {
  it('keeps nothing of the extensions and the undeclared variables of its request', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { url } = await start();
    const query = 'subscription { instances(formId: "a") { totalCount } }';
    const nested = Object.fromEntries(times(39).map((index) => [index, times(1_000).map(() => ({}))]));
    const body = Buffer.from(JSON.stringify({ query, extensions: nested, variables: nested }));
    const used = async () => {
      await new Promise(setImmediate);
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await open(url, body);

    const before = await used();
    for (const _stream of times(20)) expect(await open(url, body)).toBe(200);

    // Parsed, the body takes 5 MB.
    expect((await used()) - before).toBeLessThan(20 * 500_000);
  });
});

describe('what counts for a caller', () => {
  it('is a compiled operation once, however many of their subscriptions have it', async () => {
    const { url } = await start(callersWith('one'));
    const query =
      'subscription ($form: ID!) { instances(formId: $form) { totalCount nodes { id instanceId formId values } } }';

    const statuses = new Set<number>();
    for (const index of times(300)) {
      const { status } = await subscribe(url, query, { headers: as('one'), variables: { form: `f${index}` } });
      statuses.add(status);
    }

    expect([...statuses]).toEqual([200]);
  });

  it('are variables as they are once they are parsed', async () => {
    const { url } = await start(callersWith('one', 'two'));
    const query = 'subscription ($field: String!) { instances(formId: "a") { nodes { value(field: $field) } } }';
    const openAs = (key: string, letter: string) =>
      subscribe(url, query, { headers: as(key), variables: { field: letter.repeat(90_000) } });

    const statuses: number[] = [];
    for (const letter of 'abcde') statuses.push((await openAs('one', letter)).status);

    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await openAs('two', 'a')).status).toBe(200);
  });
});
