import { writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

import { writeFolder } from '../support/folder.ts';
import { startProgram } from '../support/program.ts';
import { freePort } from '../support/redis.ts';
import { runProgram } from './support.ts';

/**
 * Starts nginx with a snippet in a complete configuration, as Debian includes it. Returns the port
 * for TLS, and the file of the certificate, which is valid for 127.0.0.1 too.
 */
export async function startNginx(snippet: string) {
  const folder = writeFolder({});
  const at = (name: string) => join(folder, name);
  const port = await freePort();
  runProgram('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=api.example'.split(' '),
    ...['-addext', 'subjectAltName=DNS:api.example,IP:127.0.0.1'],
    ...['-keyout', at('api.example.key'), '-out', at('api.example.crt')],
  ]);
  const placed = snippet
    .replaceAll('/etc/nginx/tls', folder)
    .replaceAll('/var/log/nginx', folder)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${await freePort()}`);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${at(name)};`,
  );
  writeFileSync(
    at('nginx.conf'),
    `user root; pid ${at('nginx.pid')}; error_log ${at('error.log')}; events {}
    http { access_log off; ${folders.join(' ')}\n${placed}\n}`,
  );
  const args = ['-c', at('nginx.conf'), '-e', at('error.log')];
  runProgram('nginx', ['-t', '-q', ...args]);
  await startProgram(port, 'nginx', [...args, '-g', 'daemon off; master_process off;']);
  return { port, certificate: at('api.example.crt') };
}

/**
 * Starts Caddy with a Caddyfile, without TLS, for which it would request a certificate on the
 * internet. Returns its port.
 */
export async function startCaddy(caddyfile: string): Promise<number> {
  const port = await freePort();
  const placed = caddyfile
    .replace('api.example {', `http://127.0.0.1:${port} {`)
    .replace('{\n', '{\n\tadmin off\n');
  const folder = writeFolder({ Caddyfile: placed });
  await startProgram(port, 'caddy', ['run', '--config', join(folder, 'Caddyfile')], {
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  });
  return port;
}

/** Few connections for many requests: TLS takes longer than they do. */
export const AGENT = new Agent({ keepAlive: true, maxSockets: 10 });
export const QUERY = '{"query":"{ forms { nodes { formId } } }"}';

interface Sending {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's address, of this machine. */
  readonly from?: string;
  /** Whether the body is kept back. */
  readonly isHeld?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Resolves to the answer of a request. */
export function answerOf(sent: ClientRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  sent.on('error', reject).on('response', async (response) => {
    resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await text(response),
    });
  });
  return promise;
}

/** Posts to the proxy, as a client of `api.example`. */
export function post(
  port: number,
  { body = QUERY, headers, from = '127.0.0.1', isHeld = false }: Sending = {},
) {
  const sent = request({
    host: '127.0.0.1',
    port,
    localAddress: from,
    path: '/graphql',
    method: 'POST',
    rejectUnauthorized: false,
    agent: isHeld ? false : AGENT,
    headers: {
      host: 'api.example',
      'content-type': 'application/json',
      'content-length': body.length,
      ...headers,
    },
  });
  if (isHeld) sent.flushHeaders();
  else sent.end(body);
  onTestFinished(() => void sent.destroy());
  return answerOf(sent);
}
