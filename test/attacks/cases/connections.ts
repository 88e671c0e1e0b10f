import { once } from 'node:events';

import { type Answer, type Attack, ask, head, open, send, untilClosed } from '../request.ts';

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const slowForm = (n: number) => ask(`{ form(formId: "slow-${n}") { name } }`);
/** How often a slow client sends one more byte. */
const DRIP_MS = 1_000;
const POST = { 'content-type': 'application/json', connection: 'keep-alive' };

/** Attacks by connections: many of them, slow ones, and such as end too soon. */
export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    name: '10,000 requests sent ahead on one connection',
    status: [200],
    prepare: () => {
      const bytes = head('GET /graphql?query=%7B__typename%7D', { connection: 'keep-alive' }).repeat(10_000);
      return async (url) => [await send(url, bytes)];
    },
  },
  {
    name: '5,000 connections that say nothing',
    status: [408],
    prepare: () => async (url) => {
      const answers: Promise<Answer>[] = [];
      // A hundred at a time: the kernel turns more away, which never learn of it since they say nothing.
      for (let batch = 0; batch < 50; batch++) {
        const sockets = many(100, () => open(url));
        answers.push(...sockets.map(untilClosed));
        await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      }
      return Promise.all(answers);
    },
  },
  {
    name: '500 heads, a byte a second',
    status: [408],
    prepare: () => (url) => Promise.all(many(500, () => drip(url, 'POST /graphql HTTP/1.1\r\nhost: ', 'x'))),
  },
  {
    name: '500 bodies of known length, a byte a second',
    status: [408],
    prepare: () => {
      const begun = head('POST /graphql', { ...POST, 'content-length': '1000' });
      return (url) => Promise.all(many(500, () => drip(url, begun, ' ')));
    },
  },
  {
    name: '500 bodies in chunks, a byte a second',
    status: [408],
    prepare: () => {
      const begun = head('POST /graphql', { ...POST, 'transfer-encoding': 'chunked' });
      return (url) => Promise.all(many(500, () => drip(url, begun, '1\r\n \r\n')));
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

/** Opens a connection and sends a little, and again a little each second, until it is closed. */
async function drip(url: string, begun: string, drop: string): Promise<Answer> {
  const socket = open(url);
  socket.write(begun);
  const timer = setInterval(() => socket.writable && socket.write(drop), DRIP_MS);
  const answer = await untilClosed(socket);
  clearInterval(timer);
  return answer;
}

/** Sends a request and goes as soon as it has left. */
function leave(url: string, bytes: Buffer): Promise<Answer> {
  const socket = open(url);
  socket.write(bytes, () => setImmediate(() => socket.destroy()));
  return untilClosed(socket);
}
