import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { postGraphql } from './support/gateway.ts';
import { checkHealth, startContainer, whyNoContainer } from './support/image/container.ts';
import { type Layout, layOutImage } from './support/image/layout.ts';

const reason = whyNoContainer();

describe.skipIf(reason !== undefined)(`the image's files, run as another user (${reason ?? 'as root can'})`, () => {
  let layout: Layout;
  beforeAll(() => {
    layout = layOutImage();
  }, 60_000);
  afterAll(() => rmSync(layout.root, { recursive: true, force: true }));

  /** Starts the image on a free port; the variables stand for `docker run -e`. */
  async function run(variables: Readonly<Record<string, string>>) {
    const container = startContainer(layout, { PORT: '0', LOG_LEVEL: 'silent', ...variables });
    onTestFinished(container.kill);
    const { port } = new URL(await container.address);
    return { ...container, port, url: `http://127.0.0.1:${port}` };
  }

  it('include the code and its dependencies, and nothing for development', () => {
    const holds = (path: string) => existsSync(join(layout.workdir, path));

    expect(
      ['src/main.js', 'schema/base.graphql', 'playground/dist/index.html', 'node_modules/fastify'].every(holds),
    ).toBe(true);
    expect(['test', 'src/main.ts', 'node_modules/vitest', 'node_modules/typescript', '.npmrc'].filter(holds)).toEqual(
      [],
    );
  });

  it('are alive while the platform is unreachable, and not ready', async () => {
    const platform = {
      UPSTREAM_URL: 'http://127.0.0.1:9',
      UPSTREAM_USERNAME: 'a',
      UPSTREAM_PASSWORD: 'b',
      CALLER_AUTH: 'none',
    };
    const { url, port } = await run(platform);

    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(await checkHealth(layout, { PORT: port })).toBe(0);
  });

  it('serve from the sandbox, shut down gracefully, and then are not healthy', async () => {
    const { url, port, stop } = await run({ SANDBOX: 'on', SANDBOX_PORT: '0' });

    const { data } = await postGraphql(url, '{"query":"{ forms { nodes { formId } } }"}');
    const status = await stop();

    expect(data.forms.nodes).toContainEqual({ formId: 'expense' });
    expect(status).toBe(0);
    expect(await checkHealth(layout, { PORT: port })).toBe(1);
  });
});
