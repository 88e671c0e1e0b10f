import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

/** A real Redis server of one test. */
export interface TestRedis {
  readonly url: string;
  /** A client for the test itself. */
  readonly client: Redis;
  /** Subscribes to a channel until the test ends, and returns its messages. */
  listen(channel: string): Promise<readonly string[]>;
  /** Subscribes to all channels. The messages begin with the channel's name. */
  listenToAll(): Promise<readonly string[]>;
  /** Reads all keys and their values, byte for byte. */
  dump(): Promise<readonly string[]>;
  /** Kills the server; its data is lost, unless it is durable. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  restart(): Promise<void>;
  /** Stops the process: it neither responds nor refuses connections until `resume`. */
  pause(): void;
  resume(): void;
}

interface RedisOptions {
  readonly password?: string;
  /** Whether it writes each change to disk, and has its data again when it is restarted. */
  readonly isDurable?: boolean;
  /** Arguments that replace the ones from the other options. */
  readonly args?: readonly string[];
}

/** Starts a server on a free port of the loopback address. It ends with the test. */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis> {
  const { password, isDurable = false } = options;
  const folder = mkdtempSync(join(tmpdir(), 'caseway-redis-'));
  const port = await freePort();
  const login = password === undefined ? '' : `:${password}@`;
  const url = `redis://${login}127.0.0.1:${port}`;
  const defaults = [
    ...['--save', '', '--appendonly', isDurable ? 'yes' : 'no', '--appendfsync', 'always'],
    ...(password === undefined ? [] : ['--requirepass', password]),
  ];
  const address = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const run = async () => {
    const child = spawn('redis-server', [...(options.args ?? defaults), ...address]);
    await untilPrinted(child, 'Ready to accept connections');
    return child;
  };
  let server = await run();
  const connect = () => {
    const connection = new Redis(url, { retryStrategy: () => 20 });
    // A client loses its connection whenever the test ends the server.
    connection.on('error', () => undefined);
    onTestFinished(() => connection.disconnect());
    return connection;
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
      listener.on('message', (_channel, message) => messages.push(message));
      await listener.subscribe(channel);
      return messages;
    },
    async listenToAll() {
      const messages: string[] = [];
      const listener = connect();
      listener.on('pmessageBuffer', (_pattern, channel, message) =>
        messages.push(`${channel} ${latin(message)}`),
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
  const type = await client.type(name);
  if (type === 'string') return [latin((await client.getBuffer(name)) ?? Buffer.alloc(0))];
  if (type === 'zset') return client.zrange(name, '0', '-1');
  if (type !== 'hash') throw new Error(`${name} has the unexpected type ${type}`);
  const hash = await client.hgetallBuffer(name);
  return Object.entries(hash).flatMap(([key, value]) => [key, latin(value)]);
}

/** Returns an unused port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when the server has printed the text. Later output is discarded. */
async function untilPrinted(server: ChildProcess, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let printed = '';
  server.stdout?.on('data', (chunk) => {
    printed = `${printed}${chunk}`.slice(-10_000);
    if (printed.includes(text)) resolve();
  });
  server.once('exit', () => reject(new Error(`redis-server ended: ${printed}`)));
  server.once('error', reject);
  return promise;
}
