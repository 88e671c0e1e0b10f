import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import { startCaddy, startNginx } from '../deploy/proxies.ts';
import { hasPrograms, readDeployFile } from '../deploy/support.ts';
import { readFirstEvent } from '../support/event-stream.ts';
import { shareGateway } from '../support/gateway.ts';
import { openPage } from './page.ts';
import { startConnection, startStreams } from './streams.ts';

const CLIENTS = ['live-apollo', 'live-sse', 'live-urql', 'live-relay'];
const RENAME = `mutation ($id: ID!, $title: String!) {
  updatePurchaseRequest(input: { instanceId: $id, values: { title: $title } }) { instance { id } }
}`;

/** The data of `Board` in docs/live.md. */
interface Board {
  readonly purchaseRequests: {
    readonly nodes: readonly { readonly id: string; readonly title: string }[];
  };
}

/** The screen of a client of docs/live.md. */
interface Watched {
  readonly data: Board | undefined;
  readonly connection: string;
  readonly errors: readonly { readonly message: string }[];
}

const gateway = shareGateway({ TYPED_FORMS: '*', METRICS_PORT: '0' });

/** Subscribes with a client of docs/live.md. `shown` grows by each call. */
async function watch(client: string, url: string) {
  const { watch: start } = await openPage(url)(`src/${client}.ts`);
  const shown: Watched[] = [];
  const stop: () => void = start((watched: Watched) => shown.push(watched));
  onTestFinished(stop);
  await expect.poll(() => shown.length, { message: client }).toBeGreaterThan(0);
  return { shown, stop };
}

const titlesOf = (board?: Board) => board?.purchaseRequests.nodes.map(({ title }) => title) ?? [];

/** Renames the first request on a board. */
const rename = (board: Board | undefined, title: string) =>
  gateway.dataOf(RENAME, { id: board?.purchaseRequests.nodes[0]?.id, title });

/** Reads how many streams the gateway counts. */
async function openStreams(): Promise<number> {
  return Number(/^caseway_live_streams (\d+)$/m.exec(await gateway.metrics())?.[1]);
}

/** Reads a configuration of `deploy` with the gateway's address. */
const placed = (file: string): string =>
  readDeployFile(file).replaceAll(/127\.0\.0\.1:40[01]0/g, new URL(gateway.url).host);

async function startTrustedNginx(): Promise<string> {
  const { port, certificate } = await startNginx(placed('nginx/caseway.conf'));
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, readFileSync(certificate, 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(known));
  return `https://127.0.0.1:${port}`;
}

describe.each([
  ['directly', [], async () => gateway.url],
  ['through nginx', ['nginx', 'openssl'], startTrustedNginx],
  [
    'through Caddy',
    ['caddy'],
    async () => `http://127.0.0.1:${await startCaddy(placed('caddy/Caddyfile'))}`,
  ],
] as const)('subscribed %s', (_way, programs, open) => {
  it.skipIf(!hasPrograms(...programs))(
    'each client shows the state and every change, until it unsubscribes',
    async () => {
      const url = await open();
      for (const client of CLIENTS) {
        const { shown, stop } = await watch(client, url);
        const before = shown[0]?.data;
        const title = `Seen by ${client} ${url}`;

        await rename(before, title);
        await expect.poll(() => shown.length, { message: client }).toBe(2);
        const streams = await openStreams();
        stop();

        await expect.poll(openStreams, { message: client }).toBe(0);
        expect(streams, client).toBe(1);
        expect(titlesOf(shown[1]?.data), client).toEqual([title, ...titlesOf(before).slice(1)]);
      }
    },
  );
});

it.each(CLIENTS)('%s opens a broken stream again and shows the changes since', async (client) => {
  const { url, cut } = await startConnection(gateway.url);
  const { shown } = await watch(client, url);
  const title = `Renamed while ${client} was away`;

  cut();
  await rename(shown[0]?.data, title);

  await expect.poll(() => titlesOf(shown.at(-1)?.data)[0]).toBe(title);
  const connections = shown.map(({ connection }) => connection);
  expect(new Set(connections)).toEqual(new Set(['live', 'reconnecting']));
  expect(connections.at(-1)).toBe('live');
});

it.each(CLIENTS)(
  '%s keeps and marks its data where a result has errors or is stale',
  async (client) => {
    const node = { __typename: 'PurchaseRequest', id: 'x', title: 'Desk', status: 'SUBMITTED' };
    const data = {
      purchaseRequests: { __typename: 'PurchaseRequestConnection', totalCount: 1, nodes: [node] },
    };
    const url = await startStreams([
      { data },
      { data: null, errors: [{ message: 'Not now.' }] },
      { data, extensions: { stale: [{ operation: 'getFormIntances', ageMs: 70_000 }] } },
    ]);

    const { shown } = await watch(client, url);
    await expect.poll(() => shown.length).toBe(3);

    expect(shown.map(({ data }) => titlesOf(data)[0])).toEqual(['Desk', 'Desk', 'Desk']);
    expect(shown.map(({ connection }) => connection)).toEqual(['live', 'live', 'stale']);
    expect(shown[1]?.errors.map(({ message }) => message).join()).toContain('Not now.');
  },
);

it('urql shows the state and every change by its own fetchSubscriptions', async () => {
  writeFileSync(
    join(inject('page'), 'src/live-urql-fetch.ts'),
    `import { Client, fetchExchange } from '@urql/core';
    import { BoardDocument } from './requests.ts';
    const url = 'http://127.0.0.1:4000/graphql';
    const exchanges = [fetchExchange];
    const client = new Client({ url, preferGetMethod: false, fetchSubscriptions: true, exchanges });
    export const watch = (show: (result: unknown) => void) =>
      client.subscription(BoardDocument, {}).subscribe(show).unsubscribe;`,
  );
  const { shown, stop } = await watch('live-urql-fetch', gateway.url);

  await rename(shown[0]?.data, 'Seen by urql alone');
  await expect.poll(() => titlesOf(shown.at(-1)?.data)[0]).toBe('Seen by urql alone');
  stop();

  await expect.poll(openStreams).toBe(0);
});

it.skipIf(!hasPrograms('curl'))('curl shows the state, as docs/live.md runs it', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/live.md'), 'utf8');
  const [, command = ''] = /```sh\n(curl .*?)```/s.exec(page) ?? [];

  const text = await readFirstEvent(command.replace('http://localhost:4000', gateway.url));

  expect(text).toContain('data: {"data":{"instances":{"totalCount":');
});
