import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const RATES: Readonly<Record<string, string>> = { CHF: '0.94', GBP: '0.84', USD: '1.08' };

/** Starts another service with invented rates: `GET /rates/USD` answers `{ "rate": "1.08" }`. */
export async function startRateService(port: number) {
  const calls: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    calls.push(url);
    const rate = RATES[url.replace('/rates/', '')];
    response.writeHead(rate === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ rate }));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: boundPort } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${boundPort}`, calls, close: () => void server.close() };
}

if (import.meta.main) {
  const { url } = await startRateService(4010);
  process.stdout.write(`Rates at ${url}/rates/USD\n`);
}
