import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { type Gateway, LostError, type Operation } from '../../../examples/mobile-offline/client/gateway.ts';
import { createOutbox } from '../../../examples/mobile-offline/client/outbox.ts';
import { openStore } from '../../../examples/mobile-offline/client/store.ts';
import { createTestDevice } from './device.ts';
import { startGatewayProcess } from './gateway.ts';
import { layLine } from './line.ts';

const MINUTE_MS = 60_000;
const DECISIONS = 3;

it('decisions that were made offline go in one call, and once where its answer is lost', async () => {
  const { url, calls } = await startGatewayProcess();
  const line = await layLine(url);
  const { run, signIn } = createTestDevice(line.url);
  await signIn('demo');
  const inbox = await run('inbox');
  const ids = [...inbox.stdout.matchAll(/^ +(\d+) /gm)].map(([, id = '']) => id).slice(0, DECISIONS);
  line.losesAnswers = true;
  for (const id of ids) await run('decide', id, 'approved');
  line.losesAnswers = false;
  line.statuses.length = 0;

  line.losesMutations = true;
  const lost = await run('sync');
  line.losesMutations = false;
  const sent = await run('sync');

  expect(lost.stdout.match(/waits/g)).toHaveLength(ids.length);
  expect(sent.stdout).toBe(ids.map((id) => `request ${id}: approved: done\n`).join(''));
  expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toHaveLength(ids.length);
  // One query for each decision before the first call, and none before the second.
  expect(line.statuses).toHaveLength(ids.length + 2);
});

/** An outbox before a gateway that the test plays. */
function createTestOutbox(gateway: Gateway, now: () => number) {
  const path = mkdtempSync(join(tmpdir(), 'outbox-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const outbox = createOutbox(gateway, openStore(path), now);
  const decide = (instanceId: string) =>
    outbox.add({
      about: instanceId,
      documentId: 'decide',
      isItem: true,
      variables: { instanceId },
      seen: { documentId: 'status', variables: { instanceId }, data: 'SUBMITTED', dataWhenDone: 'APPROVED' },
    });
  return { ...outbox, decide };
}

it('what the gateway has forgotten is read first, and sent again only where it was not done', async () => {
  let nowMs = 0;
  const statuses: Record<string, string> = { a: 'SUBMITTED', b: 'SUBMITTED', c: 'SUBMITTED' };
  const sent: Operation['variables'][] = [];
  const { send, list, decide } = createTestOutbox(
    {
      query: async ({ variables }) => ({ data: statuses[String(variables['instanceId'])] }),
      keyLifetimeMs: () => undefined,
      async mutate({ variables }) {
        sent.push(variables);
        if (sent.length === 1) throw new LostError('lost');
        return { updatePurchaseRequests: { results: [{ status: 'DONE' }] } };
      },
    },
    () => nowMs,
  );
  for (const id of ['a', 'b', 'c']) decide(id);
  await send();
  Object.assign(statuses, { a: 'APPROVED', c: 'REJECTED' });
  nowMs = 10 * MINUTE_MS;

  const results = await send();

  expect(results.map(({ change, outcome }) => `${change.about} ${outcome}`)).toEqual([
    'a done',
    'c conflict',
    'b done',
  ]);
  expect(sent.map(({ items }) => items)).toEqual([
    ['a', 'b', 'c'].map((instanceId) => ({ instanceId })),
    [{ instanceId: 'b' }],
  ]);
  expect(sent[1]?.['idempotencyKey']).not.toBe(sent[0]?.['idempotencyKey']);
  expect(list()).toMatchObject([{ about: 'c', problem: 'conflict' }]);
});

it('what was not sent of a call goes with the next one, and what is unknown waits for a person', async () => {
  const answers = [['DONE', 'FAILED', 'UNKNOWN', 'NOT_SENT'], ['DONE']];
  const sent: unknown[] = [];
  const { send, list, decide } = createTestOutbox(
    {
      query: async () => ({ data: 'SUBMITTED' }),
      keyLifetimeMs: () => undefined,
      async mutate({ variables }) {
        sent.push(variables['items']);
        return { updatePurchaseRequests: { results: answers[sent.length - 1]?.map((status) => ({ status })) } };
      },
    },
    () => 0,
  );
  for (const id of ['a', 'b', 'c', 'd']) decide(id);

  const outcomes = [...(await send()), ...(await send())].map(({ change, outcome }) => `${change.about} ${outcome}`);

  expect(outcomes).toEqual(['a done', 'b refused', 'c uncertain', 'd waits', 'd done']);
  expect(sent[1]).toEqual([{ instanceId: 'd' }]);
  expect(list()).toMatchObject([{ about: 'c', problem: 'uncertain' }]);
});
