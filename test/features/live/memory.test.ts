import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';

import { scriptPlatform } from '../../support/scripted-platform.ts';
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

  it('is no more than half of what others leave, so that a few fill not all of it', async () => {
    const keys = [...'abcdefgh'];
    const big = 'x'.repeat(1_000_000);
    const platform = await scriptPlatform(() => ({ body: { items: [{ idInstance: 1, values: { big } }], total: 1 } }));
    const { url } = await startByClock({ ...platform.env, ...callersWith(...keys) });
    const countOpened = async (key: string): Promise<number> => {
      for (let count = 0; ; count++) {
        const query = `subscription { instances(formId: "${key}${count}") { nodes { values } } }`;
        const { status } = await subscribe(url, query, { headers: as(key) });
        if (status !== 200) return count;
      }
    };

    const opened: number[] = [];
    for (const key of keys) opened.push(await countOpened(key));

    expect(opened).toEqual([8, 8, 8, 4, 2, 1, 0, 0]);
    const small = 'subscription { instances(formId: "a") { totalCount } }';
    expect((await subscribe(url, small, { headers: as('h') })).status).toBe(200);
  });

  it('are compiled operations by what they select with fragments put in, each once', async () => {
    const { url } = await start(callersWith('one', 'two'));
    const spreads = times(120).map((index) => `a${index}: nodes { ...All }`);
    const fields = times(38).map((index) => `b${index}: instanceId`);
    const openAs = async (key: string, form: string, name: string) => {
      const query = `subscription ${name}($form: ID!) { instances(formId: $form, first: 1) { ${spreads.join(' ')} } }
        fragment All on Instance { ${fields.join(' ')} }`;
      return (await subscribe(url, query, { headers: as(key), variables: { form } })).status;
    };

    for (const form of 'abcde') expect(await openAs('one', form, 'First')).toBe(200);
    expect(await openAs('one', 'a', 'Second')).toBe(429);
    expect(await openAs('two', 'a', 'First')).toBe(200);
  });
});
