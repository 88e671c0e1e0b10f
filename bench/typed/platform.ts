import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts a platform of so many forms in a process of its own. */
export async function startFormPlatform(forms: number, fields: number) {
  const child = fork(join(import.meta.dirname, 'platform-process.ts'), [String(forms), String(fields)], {
    execArgv: [],
  });
  const [port] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, close: () => child.disconnect() };
}
