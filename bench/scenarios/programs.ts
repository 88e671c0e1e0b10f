import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { freePort, type Gateway, isReady } from '../test-bed.ts';

const SNIPPET = join(import.meta.dirname, '../../deploy/nginx/caseway.conf');

/**
 * Starts nginx with the configuration in `deploy/nginx`, but without TLS, in front of
 * gateways. Returns its port. nginx ends with the stack.
 */
export async function startNginx(
  folder: string,
  gateways: readonly Pick<Gateway, 'port'>[],
  programs: AsyncDisposableStack,
  change = (config: string) => config,
): Promise<number> {
  const port = await freePort();
  const own = join(folder, `nginx-${port}`);
  const [first, ...others] = gateways;
  const snippet = change(readFileSync(SNIPPET, 'utf8'))
    .replace('127.0.0.1:4000', `127.0.0.1:${first?.port}`)
    .replace(/^ *server 127\.0\.0\.1:4010(.*)$/m, (_line, options) =>
      others.map((other) => `server 127.0.0.1:${other.port}${options}`).join('\n'),
    )
    .replaceAll('/var/log/nginx', own)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port} backlog=4096;`)
    .replace('listen 80;', `listen 127.0.0.1:${await freePort()};`)
    .replaceAll(/^ *ssl_\w+ .*$/gm, '');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(own, name), { recursive: true });
    return `${name}_temp_path ${join(own, name)};`;
  });
  const main = `daemon off; master_process off; pid ${join(own, 'pid')}; events { worker_connections 4096; }`;
  const config = join(own, 'nginx.conf');
  writeFileSync(config, `${main}\nhttp { access_log off; ${paths.join(' ')}\n${snippet}\n}\n`);
  startProgram('nginx', ['-c', config, '-e', join(own, 'error.log')], programs);
  while (!(await isReady(port))) await pause(20);
  return port;
}

/** Starts a system program that ends with the stack. */
export function startProgram(
  program: string,
  args: readonly string[],
  programs: AsyncDisposableStack,
): void {
  const child = spawn(program, [...args], { stdio: 'ignore' });
  child.once('error', (cause) => {
    throw new Error(`${program} cannot be started; this benchmark needs it.`, { cause });
  });
  programs.defer(async () => {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  });
}
