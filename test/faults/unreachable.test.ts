import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { writeDialect } from '../support/write-dialect.ts';
import { codeOf, READ, startFaultyGateway, WRITE } from './support/faulty-gateway.ts';
import { answerWell } from './support/faulty-platform.ts';

const listen = async (server: Server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
};

/** A gateway whose platform is at `url`, with tokens from a working issuer, so that the platform is called. */
const gatewayBefore = async (url: string) => {
  const issuer = await startFaultyGateway(answerWell);
  const env = {
    UPSTREAM_URL: url,
    UPSTREAM_DIALECT: writeDialect({ token: { url: `${issuer.url}/v1.0/token` } }),
    UPSTREAM_TIMEOUT_MS: '15000',
  };
  return { ...(await startFaultyGateway(answerWell, env)), tokens: issuer };
};

/** What both kinds of calls end as; a write that was never sent has a known outcome. */
const codesOf = async (url: string) => {
  const { execute } = await gatewayBefore(url);
  return [codeOf(await execute(READ)), codeOf(await execute(WRITE))];
};

const UNAVAILABLE = ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE'];

/** A process that listens and takes no connection, with a backlog of one. */
async function startBlackhole(): Promise<number> {
  const script =
    "const s=require('net').createServer();s.listen({port:0,host:'127.0.0.1',backlog:1},()=>{require('fs').writeSync(1,String(s.address().port)+'\\n');Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0)})";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const port = Number(line);
  // What fits into the backlog is taken by the kernel; what comes after it hears nothing.
  for (let filler = 0; filler < 4; filler++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  }
  return port;
}

describe('an unreachable platform', () => {
  it('with a closed port is unavailable, and no write has an unknown outcome', async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();

    expect(await codesOf(`http://127.0.0.1:${port}`)).toEqual(UNAVAILABLE);
  });

  it('that accepts no connections is unavailable within the connect timeout', async () => {
    const port = await startBlackhole();

    expect(await codesOf(`http://127.0.0.1:${port}`)).toEqual(UNAVAILABLE);
  });

  it('that never completes the TLS handshake is unavailable', async () => {
    const port = await listen(createServer((socket) => void socket.on('error', () => undefined)));

    expect(await codesOf(`https://127.0.0.1:${port}`)).toEqual(UNAVAILABLE);
  });

  it('that does not speak TLS is unavailable', async () => {
    const port = await listen(createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));

    expect(await codesOf(`https://127.0.0.1:${port}`)).toEqual(UNAVAILABLE);
  });
});
