import { createServer } from 'node:http';
import { expect, it } from 'vitest';

import {
  createGateway,
  type Gateway,
  LostError,
  type Operation,
} from '../../../examples/mobile-offline/client/gateway.ts';
import { createOutbox } from '../../../examples/mobile-offline/client/outbox.ts';
import { openStore } from '../../../examples/mobile-offline/client/store.ts';
import { writeFolder } from '../../support/folder.ts';
import { listen } from '../../support/listen.ts';

const MINUTE_MS = 60_000;

/** An outbox before a gateway that the test plays. */
function createTestOutbox(gateway: Gateway, now: () => number) {
  const outbox = createOutbox(gateway, openStore(writeFolder({})), now);
  const decide = (instanceId: string) =>
    outbox.add({
      about: instanceId,
      documentId: 'decide',
      isItem: true,
      variables: { instanceId },
      seen: {
        documentId: 'status',
        variables: { instanceId },
        data: 'SUBMITTED',
        dataWhenDone: 'APPROVED',
      },
    });
  return { ...outbox, decide };
}

it('a change whose key has expired is read first, and sent again only if it was not made', async () => {
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

it('the unsent items of a call go with the next call, and items with an unknown outcome wait for a person', async () => {
  const answers = [['DONE', 'FAILED', 'UNKNOWN', 'NOT_SENT'], ['DONE']];
  const sent: unknown[] = [];
  const { send, list, decide } = createTestOutbox(
    {
      query: async () => ({ data: 'SUBMITTED' }),
      keyLifetimeMs: () => undefined,
      async mutate({ variables }) {
        sent.push(variables['items']);
        return {
          updatePurchaseRequests: {
            results: answers[sent.length - 1]?.map((status) => ({ status })),
          },
        };
      },
    },
    () => 0,
  );
  for (const id of ['a', 'b', 'c', 'd']) decide(id);

  const outcomes = [...(await send()), ...(await send())].map(
    ({ change, outcome }) => `${change.about} ${outcome}`,
  );

  expect(outcomes).toEqual(['a done', 'b refused', 'c uncertain', 'd waits', 'd done']);
  expect(sent[1]).toEqual([{ instanceId: 'd' }]);
  expect(list()).toMatchObject([{ about: 'c', problem: 'uncertain' }]);
});

/** The outbox of a device before a gateway at an address. */
const openOutbox = (url: string, folder: string, now: () => number) =>
  createOutbox(
    createGateway({ url, token: () => undefined, isUnsent: () => false }),
    openStore(folder),
    now,
  );

it('a mutation with a lost response is not sent again once the gateway may have evicted its key', async () => {
  let requests = 0;
  const url = await listen(
    createServer((request) => {
      requests += 1;
      request.socket.destroy();
    }),
  );
  let nowMs = 0;
  const outbox = openOutbox(url, writeFolder({}), () => nowMs);
  outbox.add({ documentId: 'order', variables: {}, about: 'an order' });

  const outcomes: string[] = [];
  for (const minute of [0, 5, 10, 11]) {
    nowMs = minute * MINUTE_MS;
    outcomes.push(...(await outbox.send()).map(({ outcome }) => outcome));
  }

  expect(outcomes).toEqual(['waits', 'waits', 'uncertain']);
  expect(requests).toBe(2);
  expect(outbox.list()).toMatchObject([{ about: 'an order', problem: 'uncertain' }]);
});

it('a mutation with a lost response is sent again for as long as the gateway promises to keep the key', async () => {
  const path = writeFolder({});
  let requests = 0;
  const url = await listen(
    createServer((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.setHeader('caseway-idempotency-keep', '3600').end('{"data":{}}');
    }),
  );
  let nowMs = 0;
  const outbox = () => openOutbox(url, path, () => nowMs);
  const outcomes: string[] = [];
  for (const minute of [0, 1, 50]) {
    nowMs = minute * MINUTE_MS;
    if (minute < 50) outbox().add({ documentId: 'order', variables: {}, about: 'an order' });
    outcomes.push(...(await outbox().send()).map(({ outcome }) => outcome));
  }

  expect(outcomes).toEqual(['done', 'waits', 'done']);
});
