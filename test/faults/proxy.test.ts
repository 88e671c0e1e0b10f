import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { codeOf, READ, startFaultyGateway, WRITE } from './support/faulty-gateway.ts';
import { answers, answerWell, type Fault, RULE } from './support/faulty-platform.ts';
import { opensTunnel, PROXY_PASSWORD, PROXY_USER, type ProxyScript, startProxy } from './support/proxy.ts';

const SECRET = Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString('base64');
const GOOD = '{ rule(component: "good", version: "1") { name } }';

/** A gateway whose platform is reached through a proxy, and its log. */
async function startBehind(script: ProxyScript, fault: Fault = answerWell, env: Readonly<Record<string, string>> = {}) {
  const proxy = await startProxy(script);
  const gateway = await startFaultyGateway(fault, {
    UPSTREAM_PROXY: proxy.urlWithLogin,
    UPSTREAM_TIMEOUT_MS: '9000',
    ...env,
  });
  return { ...gateway, proxy };
}

describe('a platform behind a proxy', () => {
  it('is reached through a tunnel, without TLS as well, and sees nothing of the proxy', async () => {
    const { execute, proxy, host, requests, signedIn } = await startBehind(opensTunnel);

    expect(codeOf(await execute(GOOD))).toBeUndefined();

    expect(new Set(proxy.targets())).toEqual(new Set([host]));
    expect(proxy.heads[0]).toContain(`\r\nproxy-authorization: Basic ${SECRET}\r\n`);
    const heads = [...requests, ...signedIn].map(({ head }) => head);
    expect(heads).toHaveLength(2);
    for (const head of heads) {
      expect(head).toMatch(/^(GET|POST|PUT) \/v1\.0\//);
      expect(head.toLowerCase()).not.toContain('proxy');
    }
  });

  it('shares its tunnel with the next call', async () => {
    const { execute, proxy, requests } = await startBehind(opensTunnel);

    await execute(GOOD);
    const { length } = proxy.heads;
    for (const version of ['2', '3', '4']) await execute(GOOD.replace('"1"', `"${version}"`));

    expect(requests).toHaveLength(4);
    expect(proxy.heads).toHaveLength(length);
  });

  it('is reached without a password where the proxy wants none', async () => {
    const proxy = await startProxy();
    const { execute } = await startFaultyGateway(answerWell, { UPSTREAM_PROXY: proxy.url });

    expect(codeOf(await execute(GOOD))).toBeUndefined();
    expect(proxy.heads.join().toLowerCase()).not.toContain('authorization');
  });

  it('sends fixed headers with requests for tokens to its own origin', async () => {
    const folder = writeFolder({ 'headers.json': { 'x-api-key': 'canary-header' } });
    const { execute, signedIn } = await startFaultyGateway(answerWell, {
      UPSTREAM_HEADERS_FILE: join(folder, 'headers.json'),
    });

    await execute(GOOD);

    expect(signedIn.map(({ head }) => head).join()).toContain('x-api-key: canary-header');
  });

  it('may not send more than without the proxy', async () => {
    const large = JSON.stringify({ ...JSON.parse(RULE), descriptiveName: 'x'.repeat(10_500_000) });
    const { execute, proxy } = await startBehind(opensTunnel, answers(200, large));

    expect(codeOf(await execute(READ))).toBe('UPSTREAM_INVALID_RESPONSE');
    // That of the other call remains.
    await expect.poll(() => proxy.sockets.size).toBeLessThanOrEqual(2);
  });
});

const REFUSALS: readonly [what: string, script: ProxyScript][] = [
  ['wants another password', (socket) => socket.write('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\nwhat?')],
  ['refuses the tunnel', (socket) => socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')],
  ['does not reach the platform', (socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
  ['says nothing', () => undefined],
  ['stops in the middle of its head', (socket) => socket.write('HTTP/1.1 200 OK\r\nVia: ')],
  ['speaks something else', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n')],
  ['answers with a head without bounds', (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}`)],
  ['sends bytes behind its head', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')],
  ['closes the connection', (socket) => socket.end()],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
];

describe('a proxy', () => {
  it.each(REFUSALS)('that %s leaves the platform unavailable, and no connection open', async (_what, script) => {
    const { execute, proxy, requests, signedIn } = await startBehind(script);

    expect([codeOf(await execute(READ)), codeOf(await execute(WRITE))]).toEqual([
      'UPSTREAM_UNAVAILABLE',
      'UPSTREAM_UNAVAILABLE',
    ]);

    expect(proxy.heads.length).toBeGreaterThan(0);
    expect([...requests, ...signedIn]).toEqual([]);
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });

  it.each<[string, ProxyScript]>([
    ['says nothing', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')],
    ['is closed', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')],
    [
      'is reset by the first byte',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.once('data', () => socket.resetAndDestroy());
      },
    ],
    [
      'speaks no TLS',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
      },
    ],
  ])('whose tunnel %s leaves a platform with TLS unavailable, and no connection open', async (_what, script) => {
    const { execute, proxy } = await startBehind(script, answerWell, { UPSTREAM_URL: 'https://platform.invalid' });

    expect(codeOf(await execute(READ))).toBe('UPSTREAM_UNAVAILABLE');

    // The name is the proxy's to look up.
    expect(new Set(proxy.targets())).toEqual(new Set(['platform.invalid:443']));
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });

  it('that is not there leaves the platform unavailable, and nothing goes past it', async () => {
    const proxy = await startProxy();
    proxy.close();
    const { execute, signedIn } = await startFaultyGateway(answerWell, { UPSTREAM_PROXY: proxy.url });

    expect(codeOf(await execute(READ))).toBe('UPSTREAM_UNAVAILABLE');
    expect(signedIn).toEqual([]);
  });

  it('that drips its head is given up after a second in all', async () => {
    const { execute, proxy } = await startBehind((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nVia: ');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });

    expect(codeOf(await execute(READ))).toBe('UPSTREAM_UNAVAILABLE');
    await expect.poll(() => proxy.sockets.size).toBe(0);
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

    const codes = [
      codeOf(await execute(READ.replace(/good:.+/, '}'))),
      codeOf(await execute(WRITE.replace(/good:.+/, '}'))),
    ];

    expect(codes).toEqual(['UPSTREAM_UNAVAILABLE', 'OUTCOME_UNKNOWN']);
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });
});
