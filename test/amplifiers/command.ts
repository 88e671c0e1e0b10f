import {
  formatMeasured,
  isExcessive,
  MAX_CPU_MS,
  MAX_GROWTH_MB,
  openLaboratory,
} from './laboratory.ts';
import { parseRecipe } from './recipe.ts';
import { search } from './search.ts';

// Searches for payloads that cost more than a request may. `npm run amplifiers -- 'target=…'`
// measures one payload, given by a printed line.
const { AMPLIFIERS_SEED, AMPLIFIERS_SECONDS = '600' } = process.env;
const seed = Number(AMPLIFIERS_SEED ?? Math.floor(Math.random() * 2 ** 31));
const seconds = Number(AMPLIFIERS_SECONDS);
const [, , replayed] = process.argv;
const SHOWN = 10;

const laboratory = await openLaboratory();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    laboratory.stop();
    process.exit(1);
  });
}
try {
  const measured = replayed
    ? [await laboratory.measure(parseRecipe(replayed))]
    : await search({ laboratory, seed, seconds, onProgress: print });
  const excessive = measured.filter(isExcessive);
  const shown = new Set([...measured.slice(0, SHOWN), ...excessive.slice(0, SHOWN)]);
  for (const one of shown) print(formatMeasured(one));
  const bounds = `${MAX_CPU_MS} ms of CPU, ${MAX_GROWTH_MB} MB, no bug`;
  print(`${excessive.length} kinds of payloads are above the bounds (${bounds}); seed ${seed}`);
  process.exitCode = excessive.length > 0 ? 1 : 0;
} finally {
  laboratory.stop();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
