#!/usr/bin/env node
/**
 * Starts `src/main.ts` where Node can run it, and says what is missing where it cannot. Plain JavaScript, so that a Node too
 * old for the rest can read it.
 */
import { join } from 'node:path';

const OLDEST = 24;

if (Number(process.versions.node.split('.')[0]) >= OLDEST) {
  const { enableCompileCache } = await import('node:module');
  // A start finds the code compiled by the one before it. Where nothing can be written it compiles all by itself.
  enableCompileCache(join(import.meta.dirname, 'node_modules/.cache/caseway'));
  await import('./src/main.ts');
} else {
  process.stderr.write(
    `Caseway needs Node ${OLDEST} or later, and this is ${process.version}: install it. In a checkout "npm ci" brings one for npm's scripts.\n`,
  );
  process.exitCode = 1;
}
