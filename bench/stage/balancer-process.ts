import { connect, createServer, type Socket } from 'node:net';

import { isReady } from './ready.ts';

/** How often each gateway is asked whether it is ready. */
const LOOK_EVERY_MS = 250;

const ports = process.argv.slice(2).map(Number);
const ready = new Set(ports);
let turn = 0;

/** Takes the next gateway that is ready; any of them when none is. */
function choose(): number {
  const candidates = ready.size > 0 ? [...ready] : ports;
  turn++;
  return candidates[turn % candidates.length] ?? 0;
}

function carry(client: Socket, attempt: number): void {
  const port = choose();
  const gateway = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let isConnected = false;
  gateway.once('connect', () => {
    isConnected = true;
    client.pipe(gateway).pipe(client);
  });
  gateway.once('error', () => {
    // A gateway that does not listen has seen nothing of the request yet.
    if (isConnected || attempt >= ports.length) client.destroy();
    else {
      ready.delete(port);
      carry(client, attempt + 1);
    }
  });
  gateway.once('close', () => {
    if (isConnected) client.end();
  });
  client.once('error', () => gateway.destroy());
  client.once('close', () => gateway.destroy());
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => carry(client, 1));

for (const port of ports) {
  setInterval(async () => {
    if (await isReady(port)) ready.add(port);
    else ready.delete(port);
  }, LOOK_EVERY_MS);
}
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(address.port);
});
