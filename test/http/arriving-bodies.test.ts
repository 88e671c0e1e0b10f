import { expect, it, onTestFinished } from 'vitest';

import { postGraphql, startGateway } from '../support/gateway.ts';
import { connectTo, statusesOf } from './support/raw-client.ts';

const HEAD =
  'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 250000\r\n\r\n';
/** Together they leave less than 10 kB of the room for bodies that have not fully arrived. */
const HELD = [...Array<number>(139).fill(240_000), 185_000];
const ORDINARY = JSON.stringify({ query: '{ __typename }', padding: 'x'.repeat(20_000) });
const ROUNDS = 60;

it('closes the largest and oldest unfinished bodies when there are too many, and serves whole ones', async () => {
  const { url, close } = await startGateway();
  onTestFinished(close);
  const holders = [];
  for (const bytes of HELD) {
    const holder = await connectTo(url);
    holder.write(HEAD + ' '.repeat(bytes));
    holders.push(holder);
  }

  const statuses = [];
  for (let round = 0; round < ROUNDS; round++) {
    // The room stays full.
    const more = await connectTo(url);
    more.write(HEAD + ' '.repeat(240_000));
    const { status } = await postGraphql(url, ORDINARY);
    statuses.push(status);
  }

  expect(statuses).toEqual(Array(ROUNDS).fill(200));
  const refused = await Promise.all(holders.slice(0, ROUNDS / 2).map(({ closed }) => closed));
  expect(refused.flatMap(statusesOf)).toEqual(Array(ROUNDS / 2).fill('503'));
});

it('refuses a body of very many small chunks, each of which takes more memory than its bytes', async () => {
  const { url, close } = await startGateway();
  onTestFinished(close);
  const client = await connectTo(url);

  client.write(
    `${HEAD.replace('Content-Length: 250000', 'Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(100_000)}`,
  );

  expect(statusesOf(await client.closed)).toEqual(['413']);
});
