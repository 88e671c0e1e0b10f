import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { vi } from 'vitest';

import { freePort, runProgram, startProgram, temporaryFolder } from './support.ts';

/**
 * Runs nginx with a snippet in a configuration of its own, as Debian includes it.
 *
 * @returns the port on which it speaks TLS, and the file of its certificate, which is for `127.0.0.1` as well.
 */
export async function startNginx(snippet: string) {
  const folder = temporaryFolder();
  const [port, plainPort] = [await freePort(), await freePort()];
  const [certificate, key] = ['api.example.crt', 'api.example.key'].map((name) => join(folder, name));
  runProgram('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=api.example'.split(' '),
    ...['-addext', 'subjectAltName=DNS:api.example,IP:127.0.0.1'],
    ...['-keyout', String(key), '-out', String(certificate)],
  ]);
  const placed = snippet
    .replaceAll('/etc/nginx/tls', folder)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${plainPort}`);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `user root; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')}; events {}\nhttp { access_log off; ${folders.join(' ')}\n${placed}\n}`,
  );
  runProgram('nginx', ['-t', '-q', '-c', config, '-e', join(folder, 'error.log')]);
  startProgram('nginx', ['-c', config, '-e', join(folder, 'error.log'), '-g', 'daemon off; master_process off;']);
  await listening(port);
  return { port, certificate: String(certificate) };
}

/** Runs Caddy with a Caddyfile, without TLS, for which it would ask an authority on the internet. @returns its port. */
export async function startCaddy(caddyfile: string): Promise<number> {
  const folder = temporaryFolder();
  const port = await freePort();
  const file = join(folder, 'Caddyfile');
  const placed = caddyfile.replace('api.example {', `http://127.0.0.1:${port} {`).replace('{\n', '{\n\tadmin off\n');
  writeFileSync(file, placed);
  startProgram('caddy', ['run', '--config', file], { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder });
  await listening(port);
  return port;
}

const listening = (port: number): Promise<void> =>
  vi.waitFor(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => resolve(void socket.destroy()));
        socket.on('error', reject);
      }),
    { timeout: 30_000 },
  );
