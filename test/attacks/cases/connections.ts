import { once } from 'node:events';

import {
  type Answer,
  type Attack,
  flood,
  head,
  open,
  operation,
  type Places,
  post,
  send,
  untilClosed,
} from '../request.ts';

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const slowForm = (n: number) => operation(`{ form(formId: "slow-${n}") { name } }`);
/** The time between two bytes of a slow client. */
const DRIP_MS = 1_000;
const POST = { 'content-type': 'application/json', connection: 'keep-alive' };

const SLOW_FORM = { query: '{ form(formId: "slow") { name } }' };

/** Attacks by many connections, slow ones, and connections that end too early. */
export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    name: '10,000 requests sent ahead on one connection',
    status: [0, 200],
    prepare: () => {
      const bytes = head('GET /graphql?query=%7B__typename%7D', {
        connection: 'keep-alive',
      }).repeat(10_000);
      return async (url) => [await send(url, bytes)];
    },
  },
  {
    name: '5,000 silent connections, and 500 that send a byte of a head a second',
    status: [408],
    prepare: () => async (url) => {
      const answers = many(500, () => drip(url, 'POST /graphql HTTP/1.1\r\nhost: ', 'x'));
      // In batches of 100: the kernel drops connections above its backlog, and a client that sends
      // nothing does not notice.
      for (let batch = 0; batch < 50; batch++) {
        const sockets = many(100, () => open(url));
        answers.push(...sockets.map(untilClosed));
        await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      }
      return Promise.all(answers);
    },
  },
  {
    name: '500 bodies of known length, a byte a second',
    // The gateway limits the number of bodies that arrive at the same time.
    status: [408, 503],
    prepare: () => {
      const begun = head('POST /graphql', { ...POST, 'content-length': '1000' });
      return (url) => Promise.all(many(500, () => drip(url, begun, ' ')));
    },
  },
  {
    name: '400 bodies of 250 KB, never finished',
    status: [0, 408, 503],
    prepare: () => {
      const begun = Buffer.from(
        head('POST /graphql', { ...POST, 'content-length': '250000' }) + ' '.repeat(200_000),
      );
      return (url) => Promise.all(many(400, () => flood(url, begun)));
    },
  },
  {
    name: '2,000 at once that a slow platform answers',
    status: [200, 503],
    isSlow: true,
    prepare: () => {
      const requests = many(2_000, slowForm);
      return (url) => Promise.all(requests.map((bytes) => send(url, bytes)));
    },
  },
  {
    name: '100,000 requests sent ahead behind a slow one, by a client that then leaves',
    status: [0],
    isSlow: true,
    prepare: () => {
      const slow = post(JSON.stringify(SLOW_FORM), { headers: { connection: 'keep-alive' } });
      const bytes = Buffer.concat([
        slow,
        Buffer.from('GET /a HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(100_000)),
      ]);
      return async (url) => {
        const socket = open(url);
        socket.write(bytes, () => socket.destroy());
        return [await untilClosed(socket)];
      };
    },
  },
  {
    name: '500 that leave before a slow platform answers',
    status: [0],
    isSlow: true,
    prepare: () => {
      const requests = many(500, slowForm);
      return async (url) => {
        const answers: Answer[] = [];
        for (const bytes of requests) answers.push(await leave(url, bytes));
        return answers;
      };
    },
  },
];

/** Attacks by requests that are sent without waiting for the responses. */
export const PIPELINING_ATTACKS: readonly Attack[] = [
  ...[
    { port: 'the gateway', urlOf: ({ url }: Places) => url },
    { port: 'the metrics port', urlOf: ({ metricsUrl }: Places) => metricsUrl },
    { port: 'the sandbox', urlOf: ({ sandboxUrl }: Places) => sandboxUrl },
  ]
    .flatMap((place) => [
      { ...place, line: 'GET /a HTTP/1.1\r\nhost: localhost\r\n\r\n', kind: 'requests' },
      { ...place, line: 'GET /a HTTP/1.1\r\n\r\n', kind: 'requests without a host' },
    ])
    .map(({ port, urlOf, line, kind }) => ({
      name: `80,000 ${kind} sent ahead on each of five connections, at ${port}`,
      // The first ones may be answered before the limit is reached; 421 without a host.
      status: [0, 400, 404, 421],
      prepare: () => {
        const bytes = Buffer.from(line.repeat(80_000));
        return (_url: string, places: Places) =>
          Promise.all(many(5, () => flood(urlOf(places), bytes)));
      },
    })),
];

/** Opens a connection, sends `begun`, and then `drop` each second until it is closed. */
async function drip(url: string, begun: string, drop: string): Promise<Answer> {
  const socket = open(url);
  socket.write(begun);
  const timer = setInterval(() => socket.writable && socket.write(drop), DRIP_MS);
  const answer = await untilClosed(socket);
  clearInterval(timer);
  return answer;
}

/** Sends a request, and disconnects as soon as it is sent. */
function leave(url: string, bytes: Buffer): Promise<Answer> {
  const socket = open(url);
  socket.write(bytes, () => setImmediate(() => socket.destroy()));
  return untilClosed(socket);
}
