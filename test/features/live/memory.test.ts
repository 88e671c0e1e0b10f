import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

import { callerKeys } from '../../identity/support.ts';
import { listOf, startLists, subscribe, subscribeUnread, times } from './support.ts';

const as = (key: string) => ({ 'x-api-key': key });

it('an open stream keeps nothing of the extensions and the undeclared variables of its request', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { url } = await startLists();
  const nested = Object.fromEntries(
    times(39).map((index) => [index, times(1_000).map(() => ({}))]),
  );
  const body = { query: listOf('a'), extensions: nested, variables: nested };
  const used = async () => {
    await new Promise(setImmediate);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await subscribeUnread(url, body);

  const before = await used();
  for (const _stream of times(20)) expect(await subscribeUnread(url, body)).toBe(200);

  // Parsed, the body takes 5 MB.
  expect((await used()) - before).toBeLessThan(20 * 500_000);
});

describe('the memory that counts for a caller', () => {
  it('includes a compiled operation once, however many of their subscriptions have it', async () => {
    const { url } = await startLists(callerKeys('one'));
    const query =
      'subscription ($form: ID!) { instances(formId: $form) { totalCount nodes { id instanceId formId values } } }';

    const statuses = new Set<number>();
    for (const index of times(300)) {
      const { status } = await subscribe(url, query, {
        headers: as('one'),
        variables: { form: `f${index}` },
      });
      statuses.add(status);
    }

    expect([...statuses]).toEqual([200]);
  });

  it('includes variables by their parsed size', async () => {
    const { url } = await startLists(callerKeys('one', 'two'));
    const query =
      'subscription ($field: String!) { instances(formId: "a") { nodes { value(field: $field) } } }';
    const openAs = (key: string, letter: string) =>
      subscribe(url, query, { headers: as(key), variables: { field: letter.repeat(90_000) } });

    const statuses: number[] = [];
    for (const letter of 'abcde') statuses.push((await openAs('one', letter)).status);

    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await openAs('two', 'a')).status).toBe(200);
  });
});
