import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

import { LEAKS } from './leaks/leaks.ts';
import { prove } from './proof.ts';
import { IS_SHOWN, LEAK_SEED } from './settings.ts';
import { shareRedis } from './share-redis.ts';

const PLANT = pathToFileURL(join(import.meta.dirname, 'leaks/plant.ts')).href;

/** As many sequences as each setup plays with every commit: a leak that needs more would pass there. */
const RUNS = 100;

it.each(Object.entries(LEAKS))('the proof sees when %s', { timeout: 600_000 }, async (name, leak) => {
  const { mode = 'user', variant = 'B', shows } = leak;
  const shared = leak.isShared ? await shareRedis() : {};
  const env = { NODE_OPTIONS: `--import ${PLANT}`, ISOLATION_LEAK: name, ...shared };

  const proof = await prove({ mode, variant }, { runs: RUNS, seed: LEAK_SEED, env, shows, isShrinking: IS_SHOWN });

  const { runs, problems, smallest, seed } = proof;
  if (IS_SHOWN) process.stdout.write(`${name}: ${runs} runs\n  ${JSON.stringify(smallest)}\n  ${problems[0]}\n`);
  expect(problems, `seed ${seed}`).not.toEqual([]);
});
