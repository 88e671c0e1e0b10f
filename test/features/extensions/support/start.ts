import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { writeFolder } from '../../../support/folder.ts';
import { type Env, startCountedGateway } from '../../../support/gateway.ts';
import { listen } from '../../../support/listen.ts';

/**
 * Starts a gateway with extensions, by file name, over a sandbox whose calls are counted. Both end
 * with the test.
 */
export async function startExtended(modules: Readonly<Record<string, string>>, env: Env = {}) {
  const folder = writeFolder(modules);
  const gateway = await startCountedGateway({
    TYPED_FORMS: '*',
    EXTENSIONS: folder,
    LOG_LEVEL: 'info',
    METRICS_PORT: '0',
    ...env,
  });
  const sdl = async () => (await fetch(`${gateway.url}/schema.graphql`)).text();
  /** Reads from the status page which files are left out and why. */
  const leftOut = async () => {
    const { lines: shown } = (await (
      await fetch(new URL('/status', gateway.metricsUrl))
    ).json()) as Status;
    const ofFiles = shown.filter(({ title }) => /\.m?[jt]s$/.test(title));
    return ofFiles.map(({ title, text }) => ({
      file: title,
      reason: text.replace('left out: ', ''),
    }));
  };
  return { ...gateway, sdl, leftOut };
}

interface Status {
  readonly lines: readonly { readonly title: string; readonly text: string }[];
}

/** Another service, which ends with the test. `calls` grows by each request to it. */
export async function startService(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
) {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const given = await answer(request, response);
    if (given !== undefined)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(given));
  });
  return { url: await listen(server), calls };
}
