import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Env } from '../support/gateway.ts';
import { codeOf, READ, rule, start, startFaultyGateway, WRITE } from './support/faulty-gateway.ts';
import { answerWell, type Fault } from './support/faulty-platform.ts';
import {
  opensTunnel,
  PROXY_PASSWORD,
  PROXY_USER,
  type ProxyScript,
  startProxy,
} from './support/proxy.ts';
import { pour } from './support/rows.ts';

const SECRET = Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString('base64');

/** A gateway whose platform is reached through a proxy, and its log. */
async function startBehind(script: ProxyScript, fault: Fault = answerWell, env: Env = {}) {
  const proxy = await startProxy(script);
  const settings = { UPSTREAM_PROXY: proxy.urlWithLogin, UPSTREAM_TIMEOUT_MS: '9000', ...env };
  return { ...(await startFaultyGateway(fault, settings)), proxy };
}

describe('a platform behind a proxy', () => {
  it('is reached through tunnels that calls share, without TLS as well, and sees nothing of the proxy', async () => {
    const { execute, proxy, host, requests, signedIn } = await startBehind(opensTunnel);

    expect(codeOf(await execute(rule('one')))).toBeUndefined();
    const { length } = proxy.heads;
    for (const name of ['two', 'three', 'four']) await execute(rule(name));

    expect([requests.length, signedIn.length]).toEqual([4, 1]);
    expect(proxy.heads).toHaveLength(length);
    expect(new Set(proxy.targets())).toEqual(new Set([host]));
    expect(proxy.heads[0]).toContain(`\r\nproxy-authorization: Basic ${SECRET}\r\n`);
    for (const { head } of [...requests, ...signedIn]) {
      expect(head).toMatch(/^(GET|POST|PUT) \/v1\.0\//);
      expect(head.toLowerCase()).not.toContain('proxy');
    }
  });

  it('is reached without a password if the proxy requires no password', async () => {
    const proxy = await startProxy();
    const { execute } = await startFaultyGateway(answerWell, { UPSTREAM_PROXY: proxy.url });

    expect(codeOf(await execute(rule('good')))).toBeUndefined();
    expect(proxy.heads.join().toLowerCase()).not.toContain('authorization');
  });

  it('may not send more than without the proxy', async () => {
    const { execute, proxy } = await startBehind(opensTunnel, pour);

    expect(codeOf(await execute(rule('bad')))).toBe('UPSTREAM_INVALID_RESPONSE');
    // Both ends of this tunnel are closed. The tunnel of the token call may be kept for the next
    // call.
    await expect.poll(() => proxy.sockets.size).toBe(2 * (proxy.heads.length - 1));
  });
});

const accepts: ProxyScript = (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n');
const drips: ProxyScript = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nVia: ');
  const drip = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(drip));
};
/** A proxy whose tunnel does something once TLS begins in it. */
const inTunnel =
  (act: (socket: Socket) => void): ProxyScript =>
  (socket, tunnel) => {
    accepts(socket, tunnel);
    socket.once('data', () => act(socket));
  };
/** The name is the proxy's to look up. */
const TLS = { UPSTREAM_URL: 'https://platform.invalid' };

type Refusal = [does: string, script: ProxyScript, env?: typeof TLS];

const REFUSALS: readonly Refusal[] = [
  [
    'wants another password',
    (s) => s.write('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\nwhat?'),
  ],
  ['refuses the tunnel', (s) => s.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')],
  ['does not reach the platform', (s) => s.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
  ['speaks something else', (s) => s.write('SSH-2.0-OpenSSH_9.2\r\n')],
  [
    'answers with a head without bounds',
    (s) => s.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}`),
  ],
  ['sends bytes behind its head', (s) => s.write('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')],
  ['closes the connection', (s) => s.end()],
  ['resets the connection', (s) => s.resetAndDestroy()],
  ['closes the tunnel before TLS', (s) => s.end('HTTP/1.1 200 OK\r\n\r\n'), TLS],
  ['resets the tunnel by its first byte', inTunnel((s) => s.resetAndDestroy()), TLS],
  [
    'speaks no TLS in the tunnel',
    inTunnel((s) => s.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    TLS,
  ],
];
const SILENCES: readonly Refusal[] = [
  ['says nothing', () => undefined],
  ['stops in the middle of its head', (s) => s.write('HTTP/1.1 200 OK\r\nVia: ')],
  ['drips its head', drips],
  ['says nothing in the tunnel of TLS', accepts, TLS],
];

/**
 * Returns the codes of a read and a write through a proxy. Expects that no connection stays
 * open.
 */
async function meet([, script, env]: Refusal) {
  const { execute, proxy, host, requests, signedIn } = await startBehind(script, answerWell, env);

  const codes = [codeOf(await execute(READ)), codeOf(await execute(WRITE))];

  // A request without CONNECT may come from another test that used the port before.
  const targets = proxy.targets().filter((target) => target !== undefined);
  expect(new Set(targets)).toEqual(new Set([env === TLS ? 'platform.invalid:443' : host]));
  expect([...requests, ...signedIn]).toEqual([]);
  await expect.poll(() => proxy.sockets.size).toBe(0);
  return codes;
}

describe('a proxy', () => {
  const UNAVAILABLE = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'];

  it.each(REFUSALS)(
    'that %s leaves the platform unavailable, and no connection open',
    async (...refusal) => {
      expect(await meet(refusal)).toEqual(UNAVAILABLE);
    },
  );

  it('that is silent leaves the platform unavailable after a second', async () => {
    // All at once, since each is waited for.
    const met = await Promise.all(
      SILENCES.map(async (silence) => [silence[0], await meet(silence)]),
    );

    expect(met).toEqual(SILENCES.map(([does]) => [does, UNAVAILABLE]));
  });

  it('that does not listen leaves the platform unavailable, and no call bypasses it', async () => {
    const proxy = await startProxy();
    proxy.close();
    const { execute, signedIn } = await startFaultyGateway(answerWell, {
      UPSTREAM_PROXY: proxy.url,
    });

    expect(codeOf(await execute(READ))).toBe('UPSTREAM_UNAVAILABLE');
    expect(signedIn).toEqual([]);
  });

  it('that dies in the tunnel leaves a read unavailable, and the outcome of a write unknown', async () => {
    const open = new Set<Socket>();
    const remember: ProxyScript = (socket, tunnel) => {
      open.add(socket);
      tunnel();
    };
    const { execute, proxy } = await startBehind(remember, () => {
      for (const socket of open) socket.resetAndDestroy();
      open.clear();
    });

    const codes = [codeOf(await execute(rule('bad'))), codeOf(await execute(start('bad')))];

    expect(codes).toEqual(['UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN']);
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });
});
