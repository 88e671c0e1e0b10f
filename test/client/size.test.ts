import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

import { bundle } from './bundle.ts';

it.each([
  ['index', 6_000],
  ['offline/index', 3_072],
  ['adapters/apollo', 3_000],
  ['adapters/urql', 3_000],
  ['adapters/react-apollo', 3_000],
  ['adapters/react-urql', 3_000],
  ['adapters/relay', 3_000],
])('client/%s.ts has at most %i bytes', async (module, bytes) => {
  const contents = await bundle(`client/${module}.ts`, { packages: 'external' });

  expect(contents.length).toBeGreaterThan(1_000);
  expect(gzipSync(contents).length).toBeLessThanOrEqual(bytes);
});
