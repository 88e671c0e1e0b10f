import { expect, it } from 'vitest';

import { createTestDevice } from './device.ts';
import { startClientGateway } from './gateway.ts';
import { layLine } from './line.ts';

const DECISIONS = 3;

it('decisions that were made offline go in one call, and once where its answer is lost', async () => {
  const { url, calls } = await startClientGateway();
  const line = await layLine(url);
  const { run, signIn } = createTestDevice(line.url);
  await signIn('demo');
  const inbox = await run('inbox');
  const ids = [...inbox.stdout.matchAll(/^ +(\d+) /gm)]
    .map(([, id = '']) => id)
    .slice(0, DECISIONS);
  line.isDown = true;
  for (const id of ids) await run('decide', id, 'approved');
  line.isDown = false;
  line.statuses.length = 0;

  line.losesMutations = true;
  const lost = await run('sync');
  line.losesMutations = false;
  const sent = await run('sync');

  expect(lost.stdout.match(/waits/g)).toHaveLength(ids.length);
  expect(sent.stdout).toBe(ids.map((id) => `request ${id}: approved: done\n`).join(''));
  expect(calls.filter((call) => call.includes('updateValuesOfFormIntance'))).toHaveLength(
    ids.length,
  );
  expect(line.statuses).toHaveLength(2);
});
