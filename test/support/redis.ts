import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

/** A Redis of the test's own, a real one. */
export interface TestRedis {
  readonly url: string;
  /** A client for the test itself. */
  readonly client: Redis;
  /** Subscribes to a channel until the test ends, and returns its messages. */
  listen(channel: string): Promise<readonly string[]>;
  /** The same for all channels, with their names. */
  listenToAll(): Promise<readonly string[]>;
  /** All that it holds: names and contents, byte for byte. */
  dump(): Promise<readonly string[]>;
  /** Kills the server; its data is lost, unless it is durable. */
  kill(): Promise<void>;
  /** Starts it anew at the same address. */
  restart(): Promise<void>;
  /** Lets it neither answer nor refuse, until it is resumed. */
  pause(): void;
  resume(): void;
}

interface RedisOptions {
  readonly password?: string;
  /** Whether it writes each change to disk, and so has its data again when it is restarted. */
  readonly isDurable?: boolean;
  /** Arguments that replace the ones from the other options. */
  readonly args?: readonly string[];
}

/** Starts a server on a free port of the loopback address; it ends with the test. */
export async function startRedis({
  password,
  isDurable = false,
  args,
}: RedisOptions = {}): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-redis-'));
  const port = await freePort();
  const run = async () => {
    const secret = password === undefined ? [] : ['--requirepass', password];
    const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    const storage = isDurable
      ? ['--appendonly', 'yes', '--appendfsync', 'always']
      : ['--appendonly', 'no'];
    const own = args ?? ['--save', '', ...storage, ...secret];
    const child = spawn('redis-server', [...own, ...where]);
    await untilPrinted(child, 'Ready to accept connections');
    return child;
  };
  let server = await run();
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  const connect = () => {
    const made = new Redis(url, { retryStrategy: () => 20 });
    // A client loses its connection whenever the test ends the server.
    made.on('error', () => undefined);
    onTestFinished(() => made.disconnect());
    return made;
  };
  const client = connect();
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  onTestFinished(async () => {
    await kill();
    rmSync(folder, { recursive: true });
  });
  return {
    url,
    client,
    kill,
    async listen(channel) {
      const messages: string[] = [];
      const listener = connect();
      listener.on('message', (_channel, message) => void messages.push(message));
      await listener.subscribe(channel);
      return messages;
    },
    async listenToAll() {
      const messages: string[] = [];
      const listener = connect();
      listener.on(
        'pmessageBuffer',
        (_pattern, channel, message) => void messages.push(`${channel} ${latin(message)}`),
      );
      await listener.psubscribe('*');
      return messages;
    },
    async dump() {
      const names = await client.keys('*');
      const contents = await Promise.all(names.map((name) => contentOf(client, name)));
      return names.flatMap((name, index) => [name, ...(contents[index] ?? [])]);
    },
    async restart() {
      await kill();
      server = await run();
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  };
}

const latin = (bytes: Buffer): string => bytes.toString('latin1');

/** Reads the stored bytes of a key. DUMP would compress them. */
async function contentOf(client: Redis, name: string): Promise<readonly string[]> {
  const kind = await client.type(name);
  if (kind === 'string') return [latin((await client.getBuffer(name)) ?? Buffer.alloc(0))];
  if (kind === 'hash')
    return Object.entries(await client.hgetallBuffer(name)).flatMap(([of, is]) => [of, latin(is)]);
  if (kind === 'zset') return client.zrange(name, '0', '-1');
  throw new Error(`${name} is a ${kind}, which nobody thought of`);
}

/** An unused port of the loopback address. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Resolves when the server has printed the text. Later output is discarded. */
async function untilPrinted(server: ChildProcess, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  server.stdout?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-10_000);
    if (said.includes(text)) resolve();
  });
  server.once('exit', () => reject(new Error(`redis-server ended: ${said}`)));
  server.once('error', reject);
  return promise;
}
