import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

const ROOT = join(import.meta.dirname, '../..');

const answering = (value: number) => `
import { defineExtension } from 'caseway/extension';
const value: number = ${value};
export default defineExtension({ typeDefs: 'extend type Query { own: Int }', resolvers: { Query: { own: () => value } } });
`;

it('an unreadable extension makes startup fail with code 2, its file and the reason', async () => {
  const folder = writeFolder({ 'own.ts': 'export default {' });
  const env = { SANDBOX_FILE: ':memory:', SANDBOX_PORT: '0', PORT: '0', EXTENSIONS: folder };

  const { code, stderr } = await runMain([], env).ended;

  expect(code).toBe(2);
  expect(stderr).toMatch(/^Invalid configuration:\n {2}- EXTENSIONS: \S+own\.ts:1: \S+/m);
});

it('npm run dev restarts when an extension changes', async () => {
  const folder = writeFolder({ 'own.ts': answering(1) });
  // As the script runs it.
  const child = spawn(process.execPath, ['--watch', join(ROOT, 'caseway.mjs')], {
    cwd: folder,
    env: { SANDBOX_FILE: ':memory:', SANDBOX_PORT: '0', PORT: '0', EXTENSIONS: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const addresses = () => [...printed.matchAll(/GraphQL at (\S+)\/graphql/g)].map(([, url = '']) => url);
  const starts = () => addresses().length;
  const ownOf = async (start: number) => {
    while (starts() < start) await once(child.stdout, 'data');
    return (await postGraphql(addresses()[start - 1] ?? '', '{"query":"{ own }"}')).data;
  };
  expect(await ownOf(1)).toEqual({ own: 1 });

  // Again until it is noticed: Node may begin to watch a module only after it has run.
  await vi.waitFor(
    () => {
      if (starts() < 2) writeFileSync(join(folder, 'own.ts'), answering(2));
      expect(starts()).toBeGreaterThan(1);
    },
    { timeout: 50_000, interval: 5_000 },
  );

  expect(await ownOf(2)).toEqual({ own: 2 });
});
