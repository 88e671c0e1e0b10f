import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { startPlatform } from '../identity/support.ts';
import { writeApplication } from '../support/application.ts';
import { writeFolder } from '../support/folder.ts';
import { startGateway } from '../support/gateway.ts';
import { listen } from '../support/listen.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = 'examples/mobile-offline';
const README = readFileSync(join(ROOT, EXAMPLE, 'README.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Copies the example into an application with the package, where it runs without its condition. */
function copyExample(): string {
  const script = scripts['example:mobile-offline'].replace('--conditions=caseway-source ', '');
  const manifest = { type: 'module', scripts: { 'example:mobile-offline': script } };
  const folder = writeApplication({ 'package.json': manifest });
  cpSync(join(ROOT, EXAMPLE), join(folder, EXAMPLE), { recursive: true });
  return folder;
}

it('the README’s commands have the documented effect', async () => {
  const folder = copyExample();
  // The sandbox uses the next port. Both are below the range from which the system assigns ports.
  const port = String(20_000 + 2 * randomInt(5_000));
  const env = {
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: folder,
    PORT: port,
    CASEWAY_URL: `http://127.0.0.1:${port}`,
    SANDBOX_FILE: join(folder, 'sandbox.sqlite'),
  };
  // The blocks of commands, each line with the output that it documents.
  const [[gateway] = [], signIn = [], online = [], offline = [], again = []] = [
    ...README.matchAll(/```sh\n(.*?)```/gs),
  ].map(([, block = '']) => [...block.matchAll(/^(.+?)(?: {4}# "(.*)")?$/gm)]);

  const start = async () => {
    const command = `exec ${gateway?.[1]}`;
    const child = spawn('sh', ['-c', command], { cwd: folder, env, detached: true });
    const stop = async (signal: NodeJS.Signals) => {
      const closed = once(child, 'close');
      // Ctrl+C goes to all processes of the terminal.
      if (child.pid !== undefined) process.kill(-child.pid, signal);
      await closed;
    };
    onTestFinished(async () => {
      if (child.exitCode === null && child.signalCode === null) await stop('SIGKILL');
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await expect.poll(() => printed).toContain('GraphQL');
    return () => stop('SIGINT');
  };
  const expectAll = async (lines: readonly RegExpExecArray[]) => {
    for (const [, command = '', output = ''] of lines) {
      const child = spawn('sh', ['-c', command], { cwd: folder, env });
      expect(output).not.toBe('');
      expect((await text(child.stdout)) + (await text(child.stderr)), command).toContain(output);
    }
  };

  const stop = await start();
  await expectAll([...signIn, ...online]);
  await stop();
  await expectAll(offline);
  const stopAgain = await start();
  await expectAll(again);
  await stopAgain();
});

describe('a device', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const MINUTE_MS = 60_000;

  /** Creates a device with a folder of its own. */
  async function openDevice(url: string) {
    const client = join(copyExample(), EXAMPLE, 'client');
    const { createDevice } = await import(join(client, 'device.ts'));
    const { openStore } = await import(join(client, 'store.ts'));
    const folder = writeFolder({});
    const store = openStore(folder);
    const device = createDevice({ url, store, isUnsent: () => false, now: Date.now });
    const flush = async () => {
      const { changes } = await device.person().outbox.flush();
      return changes.map(({ outcome }: { readonly outcome: string }) => outcome);
    };
    return { folder, device, flush };
  }

  /** Starts a platform, and a gateway that knows only the example's documents. */
  async function startDocumentsGateway() {
    const platform = await startPlatform();
    const env = {
      UPSTREAM_URL: platform.url,
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD: 'demo',
      TYPED_FORMS: '*',
      IDENTITY: 'user',
      SESSION_KEYS: randomBytes(32).toString('base64url'),
      DOCUMENTS: join(ROOT, EXAMPLE, 'documents'),
      DOCUMENTS_MODE: 'enforce',
    };
    const { url, close } = await startGateway(env);
    return {
      url,
      updates: () => platform.calls.filter((call) => call.includes('updateValuesOfFormIntance')),
      stop: close,
      startAgain: () => startGateway({ ...env, PORT: new URL(url).port }),
    };
  }

  const DECISION = {
    operation: 'decide',
    variables: {
      instanceId: '41',
      values: { status: 'APPROVED' },
      expected: { status: 'SUBMITTED' },
    },
    isItem: true,
    record: '41',
  };

  it.each([true, false])(
    'sends a decision whose key has expired only if it was not made: %s',
    async (isMade) => {
      const { url, updates, stop, startAgain } = await startDocumentsGateway();
      const { device, flush } = await openDevice(url);
      const other = await openDevice(url);
      await device.signIn('demo', 'demo');
      await other.device.signIn('demo', 'demo');
      await device.person().outbox.add(DECISION);
      await stop();
      const lost = await flush();
      await startAgain();
      if (isMade) {
        await other.device.person().outbox.add(DECISION);
        await other.flush();
      }
      vi.setSystemTime(Date.now() + 10 * MINUTE_MS);

      expect([lost, await flush()]).toEqual([['waiting'], ['done']]);
      expect(updates()).toHaveLength(1);
    },
  );

  it('sends a mutation again for as long as the gateway promises to keep its key', async () => {
    const keys: string[] = [];
    const data = {
      signIn: { viewer: { name: 'demo' }, sessionToken: 'a', expiresAt: '' },
      startCase: {},
    };
    const server = createServer(async (request, response) => {
      keys.push(JSON.parse(await text(request)).variables.idempotencyKey);
      if (keys.length === 2) return void request.socket.destroy();
      response.setHeader('caseway-idempotency-keep', '3600').end(JSON.stringify({ data }));
    });
    const { device, flush } = await openDevice(await listen(server));
    await device.signIn('demo', 'demo');
    await device.person().outbox.add({ operation: 'order', variables: {} });

    const lost = await flush();
    vi.setSystemTime(Date.now() + 50 * MINUTE_MS);

    expect([lost, await flush()]).toEqual([['waiting'], ['done']]);
    expect(keys).toEqual([undefined, expect.any(String), keys[1]]);
  });

  it('shows and sends no user’s data to another, and clears everything at sign-out', async () => {
    const { url, updates, stop, startAgain } = await startDocumentsGateway();
    const { folder, device, flush } = await openDevice(url);
    await device.signIn('demo', 'demo');
    await device.person().answer({ documentId: 'inbox', variables: { first: 10 } });
    const stored = globSync('**/answers/*', { cwd: folder });
    await stop();
    await device.person().outbox.add(DECISION);
    await flush();
    await startAgain();

    await device.signOut();

    expect([stored.length, globSync('**/answers/*', { cwd: folder })]).toEqual([1, []]);
    expect(() => device.person()).toThrow('Nobody is signed in');
    await device.signIn('reader', 'reader');
    expect(await flush()).toEqual([]);
    expect(updates()).toEqual([]);
  });

  it('stores all changes or none, and works after a failure', async () => {
    const client = join(copyExample(), EXAMPLE, 'client');
    const { createSqliteStorage } = await import(join(client, 'sqlite.ts'));
    const storage = createSqliteStorage(join(writeFolder({}), 'outbox.sqlite'));
    const change = { id: '1', operation: 'order', variables: {}, position: 1, attempts: 0 };

    // JSON has no bigint.
    const failed = storage.save([change, { ...change, id: '2', note: 2n }], []);

    await expect(failed).rejects.toThrow(TypeError);
    expect(await storage.read()).toEqual([]);
    await storage.save([change], []);
    expect(await storage.read()).toEqual([change]);
  });
});
