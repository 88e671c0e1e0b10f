import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createDoor } from '../../../src/edge/admission/door.ts';
import { createWaitingRoom } from '../../../src/edge/server/waiting-room.ts';
import { startChainPlatform } from '../../support/chain-platform.ts';
import { startGateway } from '../../support/gateway.ts';
import { listen } from '../../support/listen.ts';
import { connectTo, type RawClient, requestFor, statusesOf } from '../support/raw-client.ts';

const form = (formId: string) => `{ form(formId: "${formId}") { formId } }`;
const change = 'mutation { deleteInstance(input: { formId: "link", instanceId: "1" }) { deletedId } }';

/** A client that has been served before, on a gateway whose one place is taken. */
async function startBusy(env: Readonly<Record<string, string>> = {}) {
  const platform = await startChainPlatform();
  const gateway = await startGateway({ ...platform.env, ADMISSION_MAX_IN_FLIGHT: '1', ...env });
  onTestFinished(gateway.close);
  const client = await connectTo(gateway.url);
  client.write(requestFor('{ __typename }'));
  await client.received(/"__typename"/);
  const called = platform.next();
  const pending = gateway.ask(form('a'));
  const call = await called;
  return { ...platform, ...gateway, client, pending, call };
}

/** Asks twice, and is refused both times. */
async function askInVain(client: RawClient): Promise<void> {
  client.write(requestFor(form('b')));
  await client.received(/OVERLOADED/);
  client.write(requestFor(form('c')));
  await client.received(/(OVERLOADED.*){2}/s);
}

describe('the door of a gateway with no room left', () => {
  it('refuses again and again on a connection that was served before, and lets in when there is room', async () => {
    const { client, pending, call, calls } = await startBusy();

    await askInVain(client);
    call.answer();
    await pending;
    client.write(requestFor('{ again: __typename }'));

    expect(statusesOf(await client.received(/"again"/))).toEqual(['200', '503', '503', '200']);
    expect(calls).toHaveLength(1);
  });

  it('lets a change pass', async () => {
    const { client, next } = await startBusy();
    const called = next();

    client.write(requestFor(change));
    (await called).answer();

    expect(statusesOf(await client.received(/deletedId|errors/))).toEqual(['200', '200']);
  });

  it('refuses what comes in pieces, or several at a time, like anything else', async () => {
    const { client, call, pending } = await startBusy();

    client.write(requestFor(form('b')).slice(0, 20));
    client.write(requestFor(form('b')).slice(20) + requestFor(form('c')));
    await client.received(/(OVERLOADED.*){2}/s);
    client.write(requestFor(form('d')));
    await client.received(/(OVERLOADED.*){3}/s);
    call.answer();
    await pending;
    client.write(requestFor('{ again: __typename }'));

    expect(statusesOf(await client.received(/"again"/))).toEqual(['200', '503', '503', '503', '200']);
  });

  it('says when to come again, in JSON, and keeps the connection', async () => {
    const { client } = await startBusy();

    client.write(requestFor(form('b')));
    const answer = await client.received(/OVERLOADED/);

    expect(answer).toMatch(/retry-after: 1\r\n/);
    expect(answer).toMatch(/cache-control: no-store\r\n/);
    expect(answer.slice(answer.indexOf(' 503 '))).not.toMatch(/connection: close/i);
  });

  it('refuses on a connection that was never served, and serves it when there is room', async () => {
    const { url, pending, call, calls } = await startBusy();
    const client = await connectTo(url);

    await askInVain(client);
    call.answer();
    await pending;
    client.write(requestFor('{ again: __typename }'));

    expect(statusesOf(await client.received(/"again"/))).toEqual(['503', '503', '200']);
    expect(calls).toHaveLength(1);
  });

  it('lets health pass on a connection that was refused', async () => {
    const { url } = await startBusy();
    const client = await connectTo(url);

    client.write(requestFor(form('b')));
    await client.received(/OVERLOADED/);
    client.write('GET /livez HTTP/1.1\r\nHost: gateway\r\n\r\n');

    expect(statusesOf(await client.received(/"ok"/))).toEqual(['503', '200']);
  });

  it('closes a connection that was refused, once it is idle as long as any may be', async () => {
    const { url } = await startBusy({ KEEP_ALIVE_TIMEOUT_MS: '100' });
    const client = await connectTo(url);

    client.write(requestFor(form('b')));

    expect(statusesOf(await client.closed)).toEqual(['503']);
  });
});

/** A door that lets nothing in. Gives the port behind it, and who was refused, in order. */
async function startShut(options: Partial<Parameters<typeof createDoor>[0]> = {}) {
  const server = createServer();
  const refused: string[] = [];
  const door = createDoor({
    room: createWaitingRoom({ silentMs: 10_000, idleMs: 10_000 }, () => undefined),
    isOpen: () => false,
    isIdle: () => true,
    callerOf: ({ body }) => /name\w+/.exec(body.toString())?.[0] ?? '',
    mayPass({ body }) {
      refused.push(/name\w+/.exec(body.toString())?.[0] ?? '');
      return false;
    },
    isGreedy: (caller) => caller === 'nameGreedy',
    deafMs: 500,
    refusal: Buffer.from('no'),
    ...options,
  });
  door.guard(server);
  return { server, door, refused, url: await listen(server) };
}

it('a door does not listen for a while to who asks for more than others have', async () => {
  const { url, refused } = await startShut();
  const [greedy, modest] = [await connectTo(url), await connectTo(url)];

  greedy.write(requestFor('{ nameGreedy }'));
  await greedy.received(/no/);
  greedy.write(requestFor('{ nameGreedy }'));
  for (const times of ['no', 'nono']) {
    modest.write(requestFor('{ nameModest }'));
    await modest.received(new RegExp(times));
  }
  await greedy.received(/nono/);

  expect(refused).toEqual(['nameGreedy', 'nameModest', 'nameModest', 'nameGreedy']);
});

it('a door listens on where callers share a connection', async () => {
  const { url, refused } = await startShut({ deafMs: 60_000 });
  const shared = await connectTo(url);

  for (const [index, caller] of ['nameModest', 'nameGreedy', 'nameModest', 'nameGreedy'].entries()) {
    shared.write(requestFor(`{ ${caller} }`));
    await shared.received(new RegExp(`(no){${index + 1}}`));
  }

  expect(refused).toHaveLength(4);
});

it('a door listens again to all when it is told to', async () => {
  const { url, door, refused } = await startShut({ deafMs: 60_000 });
  const greedy = await connectTo(url);
  greedy.write(requestFor('{ nameGreedy }'));
  await greedy.received(/no/);
  greedy.write(requestFor('{ nameGreedy }'));

  door.hearAll();
  await greedy.received(/nono/);

  expect(refused).toHaveLength(2);
});

it('a door closes the connection of who asks on and on, and reads no answer', async () => {
  const asked = new EventEmitter();
  const { server, url } = await startShut({
    mayPass() {
      setImmediate(() => asked.emit('again'));
      return false;
    },
    refusal: Buffer.alloc(100_000),
  });
  let isClosed = false;
  server.on('connection', (served) => {
    served.on('close', () => {
      isClosed = true;
      asked.emit('again');
    });
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);

  for (let n = 0; n < 1_000 && !isClosed; n++) {
    const again = once(asked, 'again');
    socket.write(requestFor(form('b')));
    await again;
  }

  expect(isClosed).toBe(true);
});
