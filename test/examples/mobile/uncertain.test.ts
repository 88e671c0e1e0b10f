import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { createGateway } from '../../../examples/mobile-offline/client/gateway.ts';
import { createOutbox } from '../../../examples/mobile-offline/client/outbox.ts';
import { openStore } from '../../../examples/mobile-offline/client/store.ts';
import { listen } from '../../support/listen.ts';

const MINUTE_MS = 60_000;

it('a mutation with a lost response is not sent again once the gateway may have evicted its key', async () => {
  let requests = 0;
  const url = await listen(
    createServer((request) => {
      requests += 1;
      request.socket.destroy();
    }),
  );
  const path = mkdtempSync(join(tmpdir(), 'outbox-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  let nowMs = 0;
  const gateway = createGateway({ url, token: () => undefined, isUnsent: () => false });
  const outbox = createOutbox(gateway, openStore(path), () => nowMs);
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

it('a mutation with a lost response is sent again for as long as the gateway says that it keeps the key', async () => {
  const path = mkdtempSync(join(tmpdir(), 'outbox-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  let requests = 0;
  const url = await listen(
    createServer((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.setHeader('caseway-idempotency-keep', '3600').end('{"data":{}}');
    }),
  );
  let nowMs = 0;
  const gateway = () => createGateway({ url, token: () => undefined, isUnsent: () => false });
  const outbox = () => createOutbox(gateway(), openStore(path), () => nowMs);
  const outcomes: string[] = [];
  for (const minute of [0, 1, 50]) {
    nowMs = minute * MINUTE_MS;
    if (minute < 50) outbox().add({ documentId: 'order', variables: {}, about: 'an order' });
    outcomes.push(...(await outbox().send()).map(({ outcome }) => outcome));
  }

  expect(outcomes).toEqual(['done', 'waits', 'done']);
});
