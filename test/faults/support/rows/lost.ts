import type { Socket } from 'node:net';

import { CANARY, once, RULE, reply, writes } from '../faulty-platform.ts';
import { HEAD, INVALID, OK, type Row, UNKNOWN } from './row.ts';

const CUT = `${HEAD}Content-Length: 1000\r\n\r\n{"name":"${CANARY.body}`;
const CUT_CHUNKS = `${HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\n{"name":"\r\n`;

const drip = (socket: Socket) => {
  socket.write(`${HEAD}Content-Length: 1000\r\n\r\n`);
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
};
const late = (socket: Socket) => setTimeout(() => reply(socket, 200, RULE), 60);
/** Rows 2–7: an answer that does not come, or not whole. */
export const LOST: readonly Row[] = [
  {
    does: 'accepts and sends nothing',
    fault: () => undefined,
    isEndless: true,
    read: ['UPSTREAM_TIMEOUT', 2],
    write: UNKNOWN,
  },
  { does: 'is slow with its headers', fault: late, read: OK(1) },
  {
    does: 'drips its body byte by byte',
    fault: drip,
    isEndless: true,
    read: ['UPSTREAM_TIMEOUT', 2],
    write: UNKNOWN,
  },
  {
    does: 'stops in the middle of its body',
    fault: writes(CUT),
    isEndless: true,
    read: ['UPSTREAM_TIMEOUT', 2],
    write: UNKNOWN,
  },
  {
    does: 'resets in the middle of its body',
    fault: (socket) => socket.write(CUT, () => socket.resetAndDestroy()),
    read: ['UPSTREAM_UNAVAILABLE', 2],
    write: UNKNOWN,
  },
  {
    does: 'ends in the middle of its body',
    fault: (s) => s.end(CUT),
    read: ['UPSTREAM_UNAVAILABLE', 2],
    write: UNKNOWN,
  },
  { does: 'ends once in the middle of its body', fault: once((s) => s.end(CUT)), read: OK(2) },
  {
    does: 'ends in the middle of its chunks',
    fault: (s) => s.end(CUT_CHUNKS),
    read: ['UPSTREAM_UNAVAILABLE', 2],
    write: UNKNOWN,
  },
  {
    does: 'ends a body without a length too early',
    fault: (s) => s.end(`${HEAD}\r\n{"na`),
    read: INVALID(2),
    write: UNKNOWN,
  },
  {
    does: 'ends a body without a length too early, once',
    fault: once((s) => s.end(`${HEAD}\r\n{"na`)),
    read: OK(2),
  },
];
