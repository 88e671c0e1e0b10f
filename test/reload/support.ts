import { hash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { executeAs } from '../identity/support.ts';
import { writeFolder } from '../support/folder.ts';
import { type Env, startGateway } from '../support/gateway.ts';
import { limits } from '../support/limits.ts';

export const READ = '{ form(formId: "supplier") { name } }';
export const KEYS = ['web', 'mobile', 'partner'] as const;

/** The entries of these keys, a line each; a caller's name is their key. */
export const keyEntries = (...keys: readonly string[]): string =>
  keys.map((key) => `${key}:${hash('sha256', key, 'hex')}\n`).join('');

/** A folder with a key file and a document. */
export function writeFiles() {
  const folder = writeFolder({
    keys: keyEntries(...KEYS),
    'documents/count.graphql': '{ forms { totalCount } }',
  });
  const at = (name: string) => join(folder, name);
  const env = { CALLER_AUTH: 'key', CALLER_KEYS_FILE: at('keys'), DOCUMENTS: at('documents') };
  return { folder, at, env };
}

/** Puts a file in the place of another at once, as `mv` does. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Starts a gateway that closes when the test ends. `hangUp` makes it read its files again. */
export async function startReloading(env: Env) {
  const listeners: (() => void)[] = [];
  const gateway = await startGateway(
    // No stream that is open at the end is waited for.
    { METRICS_PORT: '0', LOG_LEVEL: 'info', ...limits({ shutdownMs: 100 }), ...env },
    undefined,
    { onHangup: (listener) => listeners.push(listener) },
  );
  const { url, metricsUrl = '' } = gateway;
  const status = async (key: string) => (await executeAs(url, READ, { 'x-api-key': key })).status;
  const headers = { accept: 'application/json' };
  const page = async () => (await fetch(new URL('/status', metricsUrl), { headers })).text();
  const metric = async () =>
    /^caseway_reload_failed(?:\{.*\})? (\d)/m.exec(await gateway.metrics())?.[1];
  const codes = () => gateway.logged().flatMap(({ code }) => code ?? []);
  const hangUp = () => {
    for (const listener of listeners) listener();
  };
  return {
    ...gateway,
    status,
    /** The status page as JSON. */
    page,
    /** Whether the metrics say that a reload failed. */
    metric,
    codes,
    hangUp,
    /** Reads files again, and waits until one more outcome was logged with this code. */
    async reload(code: 'RELOADED' | 'RELOAD_FAILED') {
      const count = () => codes().filter((one) => one === code).length;
      const before = count();
      hangUp();
      await expect.poll(count).toBe(before + 1);
    },
  };
}

/**
 * How long streams take to end whose caller is gone: a second, and more on a busy machine, but less
 * than to the next look at the files.
 */
export const ENDS_WITHIN_MS = 5_000;
