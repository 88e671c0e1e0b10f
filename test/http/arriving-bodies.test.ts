import { expect, it, onTestFinished } from 'vitest';

import { postGraphql, startGateway } from '../support/gateway.ts';
import { connectTo, statusesOf } from './support/raw-client.ts';

const HEAD =
  'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 250000\r\n\r\n';
const MAX_ARRIVING = 256;
const ORDINARY = JSON.stringify({ query: '{ __typename }' });

it('gives up the bodies that began first when there are too many, and serves whole ones', async () => {
  const { url, close } = await startGateway();
  onTestFinished(close);
  const holders = [];
  for (let count = 0; count < MAX_ARRIVING; count++) {
    const holder = await connectTo(url);
    holder.write(`${HEAD}{`);
    holders.push(holder);
  }

  const statuses = [];
  for (let round = 0; round < 20; round++) statuses.push((await postGraphql(url, ORDINARY)).status);

  expect(statuses).toEqual(Array(20).fill(200));
  const closed = await Promise.all(holders.slice(0, 1).map((holder) => holder.closed));
  expect(closed.flatMap(statusesOf)).toEqual([]);
});
