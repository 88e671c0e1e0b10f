import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeDialect } from '../support/write-dialect.ts';
import { closedUrl, listenRaw } from '../upstream/support/raw-server.ts';
import { codeOf, many, rule, start, startFaultyGateway } from './support/faulty-gateway.ts';
import { answerWell, startFaultyPlatform } from './support/faulty-platform.ts';

/**
 * Returns the codes of a read and a write. The outcome of a write that was never sent is known.
 * Tokens come from another issuer, which works.
 */
async function codesOf(url: string) {
  const issuer = await startFaultyPlatform(answerWell);
  const { execute } = await startFaultyGateway(answerWell, {
    UPSTREAM_URL: url,
    UPSTREAM_DIALECT: writeDialect({ token: { url: `${issuer.url}/v1.0/token` } }),
    UPSTREAM_TIMEOUT_MS: '15000',
  });
  return (await Promise.all([execute(rule('a')), execute(start('a'))])).map(codeOf);
}

const UNAVAILABLE = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'];

/** A process that listens and takes no connection, with a backlog of one. */
async function startBlackhole(): Promise<string> {
  const script =
    "const s=require('net').createServer();s.listen({port:0,host:'127.0.0.1',backlog:1},()=>{require('fs').writeSync(1,String(s.address().port)+'\\n');Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0)})";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const port = Number(line);
  // The kernel accepts connections up to the backlog. Later ones get no reply.
  for (const _ of many(4)) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  }
  return `http://127.0.0.1:${port}`;
}

const toTls = (url: string) => url.replace('http:', 'https:');

describe('an unreachable platform', () => {
  it('that accepts no connection, or never completes the TLS handshake, is unavailable within the connect timeout', async () => {
    const silent = toTls((await listenRaw(() => undefined)).url);

    // Together, since both take that long.
    const codes = await Promise.all([codesOf(await startBlackhole()), codesOf(silent)]);

    expect(codes).toEqual([UNAVAILABLE, UNAVAILABLE]);
  });

  it('with a closed port is unavailable, and no write has an unknown outcome', async () => {
    expect(await codesOf(await closedUrl())).toEqual(UNAVAILABLE);
  });

  it('that does not speak TLS is unavailable', async () => {
    const { url } = await listenRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));

    expect(await codesOf(toTls(url))).toEqual(UNAVAILABLE);
  });
});
