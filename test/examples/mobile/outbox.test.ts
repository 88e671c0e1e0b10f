import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createDevice } from '../../../examples/mobile-offline/client/device.ts';
import { createSqliteStorage } from '../../../examples/mobile-offline/client/sqlite.ts';
import { openStore } from '../../../examples/mobile-offline/client/store.ts';
import { writeFolder } from '../../support/folder.ts';
import { listen } from '../../support/listen.ts';
import { startClientGateway } from './gateway.ts';
import { layLine } from './line.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;

/** Signs in, and opens the outbox. */
async function openOutbox(url: string) {
  const store = openStore(writeFolder({}));
  const device = createDevice({ url, store, isUnsent: () => false, now: Date.now });
  await device.signIn('demo', 'demo');
  const { outbox } = device.person();
  return {
    outbox,
    decide: (instanceId: string) =>
      outbox.add({
        operation: 'decide',
        variables: {
          instanceId,
          values: { status: 'APPROVED' },
          expected: { status: 'SUBMITTED' },
        },
        isItem: true,
        record: instanceId,
      }),
    async flush() {
      const { changes } = await outbox.flush();
      return changes.map(({ outcome }) => outcome);
    },
  };
}

it('the storage stores all or nothing, and works after a failure', async () => {
  const storage = createSqliteStorage(join(writeFolder({}), 'outbox.sqlite'));
  const change = { id: '1', operation: 'order', variables: {}, position: 1, attempts: 0 };

  // JSON has no bigint.
  const failed = storage.save([change, { ...change, id: '2', note: 2n }], []);
  await expect(failed).rejects.toThrow(TypeError);
  expect(await storage.read()).toEqual([]);

  await storage.save([change], []);
  expect(await storage.read()).toEqual([change]);
});

it.each([
  ['is done if it was made', true],
  ['is sent again if it was not made', false],
])('a decision whose key has expired %s', async (_title, isMade) => {
  const { url, calls, stop, startAgain } = await startClientGateway();
  const line = await layLine(url);
  const { decide, flush } = await openOutbox(line.url);
  await decide('41');
  line.losesAnswers = true;
  if (!isMade) await stop();
  const first = await flush();
  line.losesAnswers = false;
  if (!isMade) await startAgain();
  vi.setSystemTime(Date.now() + 10 * MINUTE_MS);

  expect([first, await flush()]).toEqual([['waiting'], ['done']]);
  expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toHaveLength(1);
});

it('a mutation with a lost response is sent again for as long as the gateway promises to keep the key', async () => {
  const keys: string[] = [];
  const data = {
    signIn: { viewer: { name: 'demo' }, sessionToken: 'a', expiresAt: '' },
    startCase: {},
  };
  const url = await listen(
    createServer(async (request, response) => {
      const { variables } = JSON.parse(await text(request));
      keys.push(variables.idempotencyKey);
      if (keys.length === 2) return void request.socket.destroy();
      response.setHeader('caseway-idempotency-keep', '3600').end(JSON.stringify({ data }));
    }),
  );
  const { outbox, flush } = await openOutbox(url);
  await outbox.add({ operation: 'order', variables: {} });

  const lost = await flush();
  vi.setSystemTime(Date.now() + 50 * MINUTE_MS);

  expect([lost, await flush()]).toEqual([['waiting'], ['done']]);
  expect(keys).toEqual([undefined, expect.any(String), keys[1]]);
});
