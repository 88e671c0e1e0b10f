#!/usr/bin/env node
/**
 * Starts `src/main.ts`, or prints a message if this Node is too old for it. Plain JavaScript, so
 * that an old Node can run it.
 */
import { basename, dirname, join } from 'node:path';

const OLDEST = 24;

const parent = dirname(import.meta.dirname);
/** The folder of the packages: the one that contains this package, or the checkout's own. */
const packages =
  basename(parent) === 'node_modules' ? parent : join(import.meta.dirname, 'node_modules');

if (Number(process.versions.node.split('.')[0]) >= OLDEST) {
  const { enableCompileCache } = await import('node:module');
  // Keeps compiled code for the next start. If the folder is not writable, every start compiles.
  enableCompileCache(join(packages, '.cache/caseway'));
  await import('./src/main.ts');
} else {
  process.stderr.write(
    `Caseway needs Node ${OLDEST} or later, but this is ${process.version}. Install a newer Node. ` +
      `In a checkout "npm ci" installs one for npm's scripts.\n`,
  );
  process.exitCode = 1;
}
