import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';

import { writeFolder } from '../../../support/folder.ts';
import { type Env, shareGateway, startCountedGateway } from '../../../support/gateway.ts';
import { listen } from '../../../support/listen.ts';

/** The text of modules by file name. */
type Modules = Readonly<Record<string, string>>;

const SETTINGS = { TYPED_FORMS: '*', LOG_LEVEL: 'info', METRICS_PORT: '0' };

/** Starts a gateway with extensions in front of a counted sandbox. Both close when the test ends. */
export const startExtended = (modules: Modules, env: Env = {}) =>
  startCountedGateway({ ...SETTINGS, EXTENSIONS: writeFolder(modules), ...env });

/**
 * Starts one such gateway for all tests of a file or a `describe`. Its `calls` are emptied before
 * each test.
 */
export function shareExtended(modules: Modules, env: Env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'extensions-'));
  for (const [name, text] of Object.entries(modules)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  afterAll(() => rmSync(folder, { recursive: true }));
  return shareGateway({ ...SETTINGS, EXTENSIONS: folder, ...env });
}

/** Starts another service, which closes when the test ends. `calls` lists the requests to it. */
export async function startService(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
) {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const body = await answer(request, response);
    if (body !== undefined)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  return { url: await listen(server), calls };
}
