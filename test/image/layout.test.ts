import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { startPlatform } from '../features/replicas/replicas.ts';
import { postGraphql } from '../support/gateway.ts';
import { checkHealth, startContainer, whyNoContainer } from '../support/image/container.ts';
import { type Layout, layOutImage, layOutSandbox } from '../support/image/layout.ts';

const PLATFORM = { UPSTREAM_USERNAME: 'demo', UPSTREAM_PASSWORD: 'demo', CALLER_AUTH: 'none' };

const reason = whyNoContainer();

describe.skipIf(reason !== undefined)(
  `the image's files, run as another user (${reason ?? 'as root can'})`,
  () => {
    let layout: Layout;
    let withSandbox: Layout;
    beforeAll(() => {
      layout = layOutImage();
      withSandbox = layOutSandbox(layout);
    }, 120_000);
    afterAll(() => {
      for (const folder of [layout.root, layout.built, withSandbox.root])
        rmSync(folder, { recursive: true, force: true });
    });

    /** Starts the image on a free port; the variables stand for `docker run -e`. */
    function start(variables: Readonly<Record<string, string>>, image = layout) {
      const container = startContainer(image, { PORT: '0', LOG_LEVEL: 'silent', ...variables });
      onTestFinished(container.kill);
      return container;
    }

    async function run(variables: Readonly<Record<string, string>>) {
      const container = start(variables);
      const { port } = new URL(await container.address);
      return { ...container, port, url: `http://127.0.0.1:${port}` };
    }

    it('include the code and the packages that are not in it, and nothing for development', () => {
      const needed = [
        'src/main.js',
        'schema/base.graphql',
        'playground/dist/index.html',
        'node_modules/graphql',
      ];
      const unneeded = ['vitest', 'typescript', 'fastify', 'feelin', 'yaml', 'pino-pretty'];
      const absent = [
        'test',
        'src/main.ts',
        '.npmrc',
        ...unneeded.map((name) => `node_modules/${name}`),
      ];

      expect(
        [...needed, ...absent].filter((path) => existsSync(join(layout.workdir, path))),
      ).toEqual(needed);
    });

    it('are alive while the platform is unreachable, and not ready', async () => {
      const { url, port } = await run({ ...PLATFORM, UPSTREAM_URL: 'http://127.0.0.1:9' });

      expect((await fetch(`${url}/livez`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      expect(await checkHealth(layout, { PORT: port })).toBe(0);
    });

    it('serve a platform, shut down gracefully, and then are not healthy', async () => {
      const { url: UPSTREAM_URL } = await startPlatform();
      const { url, port, stop } = await run({ ...PLATFORM, UPSTREAM_URL });

      const { data } = await postGraphql(url, '{"query":"{ forms { nodes { formId } } }"}');
      const status = await stop();

      expect(data.forms.nodes).toContainEqual({ formId: 'expense' });
      expect(status).toBe(0);
      expect(await checkHealth(layout, { PORT: port })).toBe(1);
    });

    it('name the target with the sandbox when it is requested', async () => {
      const { address } = start({ SANDBOX_FILE: ':memory:' });

      await expect(address).rejects.toThrow(/feelin and yaml are not installed.*target "sandbox"/);
    });

    it('serve the sandbox alone, from the target of that name', async () => {
      const { printed } = start({ PORT: '0', SANDBOX_FILE: ':memory:' }, withSandbox);
      const url = await printed(/REST interface at (http:\S+)\/v1\.0/);

      expect((await fetch(`${url}/v1.0/forms`)).status).toBe(401);
    });
  },
);
