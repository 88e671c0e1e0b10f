import { connect, createServer, type Socket } from 'node:net';

import { isReady } from '../test-bed.ts';

// A balancer of connections in its own process. It follows `/readyz` of the gateways whose ports
// are its arguments.
const PROBE_EVERY_MS = 250;

const ports = process.argv.slice(2).map(Number);
const ready = new Set(ports);
let turn = 0;

/** Returns the next gateway that is ready, or the next of all if no gateway is ready. */
function choosePort(): number {
  const candidates = ready.size > 0 ? [...ready] : ports;
  turn++;
  return candidates[turn % candidates.length] ?? 0;
}

function forward(client: Socket, attempt: number): void {
  const port = choosePort();
  const gateway = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let isConnected = false;
  gateway.once('connect', () => {
    isConnected = true;
    client.pipe(gateway).pipe(client);
  });
  gateway.once('error', () => {
    // A gateway that does not listen has not seen the request yet, so another one may get it.
    if (isConnected || attempt >= ports.length) client.destroy();
    else {
      ready.delete(port);
      forward(client, attempt + 1);
    }
  });
  gateway.once('close', () => {
    if (isConnected) client.end();
  });
  client.once('error', () => gateway.destroy());
  client.once('close', () => gateway.destroy());
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => forward(client, 1));

for (const port of ports) {
  setInterval(async () => {
    if (await isReady(port)) ready.add(port);
    else ready.delete(port);
  }, PROBE_EVERY_MS);
}
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(address.port);
});
