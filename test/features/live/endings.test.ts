import { describe, expect, it } from 'vitest';

import { executeAs, signIn, startPlatform } from '../../identity/support.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { listOf, MINUTE_MS, startByClock, startLists, subscribe } from './support.ts';

const SUPPLIERS = listOf('supplier');
const SIGN_OUT = 'mutation { signOut { viewer { name } } }';

async function startForUsers() {
  const platform = await startPlatform();
  const gateway = await startByClock({ UPSTREAM_URL: platform.url, IDENTITY: 'user' });
  const signInAs = async (name: string) => {
    const { data } = await executeAs(gateway.url, signIn(name));
    return { authorization: `Bearer ${data.signIn.sessionToken}` };
  };
  return { ...gateway, calls: platform.calls, signInAs };
}

describe('a stream of a user', () => {
  it('ends at once when they sign out, without saying that it is complete, and no other does', async () => {
    const { url, signInAs, figure } = await startForUsers();
    const [here, there] = [await signInAs('demo'), await signInAs('demo')];
    const ended = await subscribe(url, SUPPLIERS, { headers: here });
    const other = await subscribe(url, SUPPLIERS, { headers: there });
    await Promise.all([ended.next(), other.next()]);

    await executeAs(url, SIGN_OUT, here);

    expect(await ended.ended).toMatch(/^:\n\nevent: next\ndata: .*\n\n$/);
    await expect.poll(() => figure('caseway_live_streams')).toBe(1);
  });

  it('is complete after the error where there is no session, so that its client does not come again', async () => {
    const { url } = await startForUsers();
    const stream = await subscribe(url, SUPPLIERS);
    expect(stream.status).toBe(200);
    expect(await stream.ended).toMatch(/"code":"UNAUTHENTICATED".*\n\nevent: complete\ndata:\n\n$/);
  });
});

it('a client that leaves before the first result leaves no stream and no poll behind', async () => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const platform = await scriptPlatform(async ({ url: path }) => {
    if (path.includes('/forms/b/')) asked.resolve();
    await held.promise;
    return { body: { items: [], total: 0 } };
  });
  const { url, pass, figure, lines } = await startByClock({ ...platform.env, LOG_LEVEL: 'info' });
  const opening = subscribe(url, listOf('a'));
  const leaving = new AbortController();
  const left = subscribe(url, listOf('b'), { signal: leaving.signal });
  await asked.promise;
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  held.resolve();
  await (await opening).next();
  await expect.poll(() => lines.filter((line) => line.includes('"operation"')).length).toBe(2);

  await pass(MINUTE_MS);

  expect(await figure('caseway_live_streams')).toBe(1);
  expect(
    platform.seen.filter(({ url: path }) => path.includes('/forms/b/')).length,
  ).toBeLessThanOrEqual(1);
  expect(lines.join()).not.toContain('unexpected error');
});

it('a run that fails in the gateway itself ends its streams with the error, to be opened again, and no others', async () => {
  const failing = { isOn: false };
  const lines: string[] = [];
  const onLogLine = (line: string) => {
    if (failing.isOn && line.includes('"operation":"Failing"'))
      throw new Error('The disk is full.');
    lines.push(line);
  };
  const { url, pass, change } = await startLists({ LOG_LEVEL: 'info' }, { onLogLine });
  const stream = await subscribe(url, listOf('a').replace('subscription', 'subscription Failing'));
  const other = await subscribe(url, listOf('b'));
  await Promise.all([stream.next(), other.next()]);

  failing.isOn = true;
  change('a', 2);
  change('b', 2);
  await pass(6_000);

  const text = await stream.ended;
  expect(text).toContain('"code":"INTERNAL_SERVER_ERROR"');
  expect(text).not.toContain('disk');
  expect(text).not.toContain('event: complete');
  expect(await other.next()).toEqual({ data: { instances: { totalCount: 2 } } });
  const logged = lines.map((line) => JSON.parse(line));
  const { requestId } = logged.find(({ operation }) => operation === 'Failing');
  expect(logged).toContainEqual(
    expect.objectContaining({
      msg: 'unexpected error',
      requestId,
      err: expect.objectContaining({}),
    }),
  );
  expect(logged).toContainEqual(
    expect.objectContaining({ msg: 'subscription ended', reason: 'failed', requestId }),
  );
});

it('the log has one line for a stream that has ended: why, after how long, its results and its polls', async () => {
  const { url, change, pass, figure, lines } = await startLists({ LOG_LEVEL: 'info' });
  const stream = await subscribe(
    url,
    'subscription Secret($form: ID!) { instances(formId: $form) { totalCount } }',
    {
      variables: { form: 'hidden' },
    },
  );
  await stream.next();
  change('hidden', 2);
  await pass(MINUTE_MS);
  await stream.next();
  stream.close();
  await expect.poll(() => figure('caseway_live_streams')).toBe(0);

  const ended = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'subscription ended');
  expect(ended).toEqual([
    expect.objectContaining({
      reason: 'client left',
      durationMs: MINUTE_MS,
      results: 2,
      polls: 12,
    }),
  ]);
  expect(ended[0].requestId).toMatch(/./);
  expect(JSON.stringify(ended)).not.toContain('hidden');
});

it('operations that differ only in undeclared variables or in the order of variables share one stored operation', async () => {
  const { url, figure } = await startLists();
  const query =
    'subscription ($form: ID!, $first: Int) { instances(formId: $form, first: $first) { nodes { instanceId } } }';
  const variables = [
    { form: 'a', first: 1 },
    { first: 1, form: 'a' },
    { form: 'a', first: 1, undeclared: 'x' },
  ];
  for (const given of variables) await (await subscribe(url, query, { variables: given })).next();
  expect(await figure('caseway_live_operations')).toBe(1);
});
