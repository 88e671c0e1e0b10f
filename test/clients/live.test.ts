import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { startCaddy, startNginx } from '../deploy/proxies.ts';
import { hasPrograms, readDeployFile } from '../deploy/support.ts';
import { readFirstEvent } from '../support/event-stream.ts';
import { openPage, type Page } from './page.ts';
import { startConnection, startScript } from './streams.ts';

let page: Page;
beforeAll(async () => {
  page = await openPage();
}, 180_000);
afterAll(() => page.close());

const CLIENTS = [
  ['Apollo Client', 'src/live-apollo.ts'],
  ['graphql-sse', 'src/live-sse.ts'],
  ['urql', 'src/live-urql.ts'],
  ['Relay', 'src/live-relay.ts'],
] as const;

describe.each([
  ['directly', [], async () => page.gateway.url],
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
      for (const [name, file] of CLIENTS) {
        const { watch } = await page.load(file, url);
        const shown: Board[] = [];

        const stop = watch(({ data }: Watched) => data && shown.push(data));
        await expect.poll(() => shown.length, { message: name }).toBe(1);
        const [first] = shown;
        const [id] = first?.purchaseRequests.nodes.map((node) => node.id) ?? [];
        await page.gateway.execute(RENAME, { id, title: `Seen by ${name} ${url}` });
        await expect.poll(() => shown.length, { message: name }).toBe(2);
        const streams = await openStreams();
        stop();
        await expect.poll(openStreams, { message: name }).toBe(0);

        expect([name, streams]).toEqual([name, 1]);
        expect(titlesOf(shown[1])).toEqual([`Seen by ${name} ${url}`, ...titlesOf(first).slice(1)]);
      }
    },
  );
});

it('each client opens a broken stream again and shows the changes since', async () => {
  const { url, cut } = await startConnection(page.gateway.url);
  const clients = CLIENTS.map(async ([name, file]) => {
    const { watch } = await page.load(file, url);
    const shown: Watched[] = [];
    onTestFinished(watch((watched: Watched) => shown.push(watched)));
    await expect.poll(() => shown.length, { message: name }).toBe(1);
    return [name, shown] as const;
  });
  const all = await Promise.all(clients);
  const [first] = all[0]?.[1] ?? [];
  const [id] = first?.data?.purchaseRequests.nodes.map((node) => node.id) ?? [];

  cut();
  await page.gateway.execute(RENAME, { id, title: 'Renamed meanwhile' });

  for (const [name, shown] of all) {
    await expect
      .poll(() => titlesOf(shown.at(-1)?.data)[0], { message: name })
      .toBe('Renamed meanwhile');
    const connections = shown.map(({ connection }) => connection);
    expect([
      name,
      connections[0],
      connections.includes('reconnecting'),
      connections.at(-1),
    ]).toEqual([name, 'live', true, 'live']);
  }
});

it('each client keeps and marks its data where a result has errors or is stale', async () => {
  const node = { __typename: 'PurchaseRequest', id: 'x', title: 'Desk', status: 'SUBMITTED' };
  const data = {
    purchaseRequests: { __typename: 'PurchaseRequestConnection', totalCount: 1, nodes: [node] },
  };
  const url = await startScript([
    { data },
    { data: null, errors: [{ message: 'Not now.' }] },
    { data, extensions: { stale: [{ operation: 'getFormIntances', ageMs: 70_000 }] } },
  ]);

  for (const [name, file] of CLIENTS) {
    const { watch } = await page.load(file, url);
    const shown: Watched[] = [];
    onTestFinished(watch((watched: Watched) => shown.push(watched)));
    await expect.poll(() => shown.length, { message: name }).toBe(3);

    expect([name, shown.map(({ data }) => titlesOf(data)[0])]).toEqual([
      name,
      ['Desk', 'Desk', 'Desk'],
    ]);
    expect([name, shown.map(({ connection }) => connection)]).toEqual([
      name,
      ['live', 'live', 'stale'],
    ]);
    expect([name, shown[1]?.errors.map(({ message }) => message).join()]).toEqual([
      name,
      expect.stringContaining('Not now.'),
    ]);
  }
});

describe('urql by its own fetchSubscriptions', () => {
  const load = async (url: string) => {
    writeFileSync(
      join(page.folder, 'src/live-urql-fetch.ts'),
      URQL_ALONE.replace('URL', page.gateway.url),
    );
    const { watch } = await page.load('src/live-urql-fetch.ts', url);
    const shown: { readonly data?: Board; readonly hasNext: boolean }[] = [];
    const stop: () => void = watch((result: (typeof shown)[number]) => shown.push(result));
    await expect.poll(() => shown.length).toBe(1);
    return { shown, stop };
  };

  it('shows the state and every change, until it unsubscribes', async () => {
    const { shown, stop } = await load(page.gateway.url);
    const [id] = shown[0]?.data?.purchaseRequests.nodes.map((node) => node.id) ?? [];

    await page.gateway.execute(RENAME, { id, title: 'Seen by urql alone' });
    await expect.poll(() => titlesOf(shown.at(-1)?.data)[0]).toBe('Seen by urql alone');
    await expect.poll(openStreams).toBe(1);
    stop();

    await expect.poll(openStreams).toBe(0);
  });

  it('takes the end of a stream for the last', async () => {
    const { url, cut } = await startConnection(page.gateway.url);
    const { shown } = await load(url);
    expect(shown[0]?.hasNext).toBe(true);

    cut();

    await expect.poll(() => shown.at(-1)?.hasNext).toBe(false);
    await expect.poll(openStreams).toBe(0);
  });
});

it.skipIf(!hasPrograms('curl'))('curl shows the state, as docs/live.md runs it', async () => {
  const [, command = ''] =
    /```sh\n(curl .*?)```/s.exec(
      readFileSync(join(import.meta.dirname, '../../docs/live.md'), 'utf8'),
    ) ?? [];

  const text = await readFirstEvent(command.replace('http://localhost:4000', page.gateway.url));

  expect(text).toContain('data: {"data":{"instances":{"totalCount":');
});

describe.skipIf(!hasPrograms('nginx', 'openssl'))('over HTTP/2 by nginx', () => {
  it('many subscriptions share one connection', async () => {
    const session = connect(await startTrustedNginx());
    onTestFinished(() => session.destroy());
    const headers = { ':method': 'POST', ':path': '/graphql', accept: 'text/event-stream' };
    const body = JSON.stringify({ query: 'subscription { purchaseRequests { totalCount } }' });

    const results = Array.from({ length: 10 }, async () => {
      const stream = session.request({ ...headers, 'content-type': 'application/json' });
      stream.end(body);
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) {
        text += chunk;
        if (text.includes('event: next')) break;
      }
      return text;
    });

    for (const text of await Promise.all(results)) expect(text).toContain('"totalCount":');
    await expect.poll(openStreams).toBe(0);
  });
});

const URQL_ALONE = `
  import { Client, fetchExchange } from '@urql/core';
  import { BoardDocument } from './requests.ts';
  const client = new Client({ url: 'URL/graphql', preferGetMethod: false, fetchSubscriptions: true, exchanges: [fetchExchange] });
  export const watch = (show) => client.subscription(BoardDocument, {}).subscribe(show).unsubscribe;
`;

const RENAME = `mutation ($id: ID!, $title: String!) {
  updatePurchaseRequest(input: { instanceId: $id, values: { title: $title } }) { instance { id } }
}`;

interface Watched {
  readonly data: Board | undefined;
  readonly connection: string;
  readonly errors: readonly { readonly message: string }[];
}

interface Board {
  readonly purchaseRequests: {
    readonly nodes: readonly { readonly id: string; readonly title: string }[];
  };
}

const titlesOf = (board?: Board): readonly string[] =>
  board?.purchaseRequests.nodes.map(({ title }) => title) ?? [];

/** How many streams the gateway counts. */
async function openStreams(): Promise<number> {
  const metrics = await page.gateway.metrics();
  return Number(/^caseway_live_streams (\d+)$/m.exec(metrics)?.[1]);
}

/** A configuration of `deploy` with the gateway's address. */
const placed = (file: string): string =>
  readDeployFile(file).replaceAll(/127\.0\.0\.1:40[01]0/g, new URL(page.gateway.url).host);

async function startTrustedNginx(): Promise<string> {
  const { port, certificate } = await startNginx(placed('nginx/caseway.conf'));
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, readFileSync(certificate, 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(known));
  return `https://127.0.0.1:${port}`;
}
