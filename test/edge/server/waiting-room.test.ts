import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createWaitingRoom } from '../../../src/edge/server/waiting-room.ts';

/** A room in which everybody stays, and is told something. Gives a client, and its socket in the room. */
async function enter(answer: Buffer) {
  const room = createWaitingRoom({ silentMs: 60_000, idleMs: 60_000 }, () => undefined);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const stays = () => {
      socket.write(answer);
      return true;
    };
    room.keep(socket, { stays, goOn: () => undefined });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const taken = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(port, '127.0.0.1');
  onTestFinished(() => {
    room.closeAll();
    client.destroy();
    server.close();
  });
  const [socket] = await taken;
  return { room, client, socket };
}

describe('the waiting room', () => {
  it('closes those that were answered when it closes what is idle, and keeps those that have said nothing', async () => {
    const [answered, silent] = [await enter(Buffer.from('no')), await enter(Buffer.from('no'))];
    answered.client.write('something');
    await once(answered.client, 'data');
    const closed = once(answered.socket, 'close');

    answered.room.closeIdle();
    silent.room.closeIdle();
    await closed;

    expect(silent.socket.destroyed).toBe(false);
  });

  it('closes all of them, also those who read no answer', async () => {
    const { room, client, socket } = await enter(Buffer.alloc(64_000_000));
    const heard = once(socket, 'data');
    client.pause().write('something');
    await heard;
    const closed = once(socket, 'close');

    room.closeAll();
    await closed;

    expect(socket.destroyed).toBe(true);
  });

  it('ends a connection that its client ends', async () => {
    const { client, socket } = await enter(Buffer.from('no'));
    const closed = once(socket, 'close');

    client.end();
    await Promise.all([closed, once(client, 'close')]);

    expect(socket.errored).toBeNull();
  });
});
