import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { answers, CANARY, CASE, once, RULE } from '../faulty-platform.ts';
import { both, HEAD, INVALID, OK, type Row, UNKNOWN } from './row.ts';

const pour = (socket: Socket) => {
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const timer = setInterval(() => socket.write(`4000\r\n${'x'.repeat(16_384)}\r\n`), 1);
  socket.on('close', () => clearInterval(timer));
};
/** Rows 18–31: bodies. */
export const BODIES: readonly Row[] = [
  { does: 'answers 200 with nothing', fault: both(''), read: INVALID(2) },
  { does: 'answers 201 with nothing where a case is due', fault: answers(201), write: UNKNOWN },
  {
    does: 'cuts its JSON and says so in its length',
    fault: both(`{"name":"${CANARY.body}`),
    read: INVALID(2),
    write: UNKNOWN,
  },
  {
    does: 'calls its JSON application/hal+json',
    fault: both(RULE, 'Content-Type: application/hal+json; a=b'),
    read: OK(1),
  },
  { does: 'calls its JSON text/json', fault: both(RULE, 'Content-Type: text/json'), read: OK(1) },
  {
    does: 'calls its JSON an image',
    fault: answers(200, CASE, 'Content-Type: image/png'),
    read: INVALID(1),
    write: UNKNOWN,
  },
  {
    does: 'answers with a page to sign in by',
    fault: both(`<!DOCTYPE html>${CANARY.body}`, 'Content-Type: text/html'),
    read: INVALID(2),
    write: UNKNOWN,
  },
  { does: 'answers once with a page to sign in by', fault: once(both('<html></html>')), read: OK(2) },
  {
    does: 'hides a failure in 200',
    fault: both(`{"errorCode":"E","message":"${CANARY.body}"}`),
    read: ['UPSTREAM_ERROR', 2],
    write: ['UPSTREAM_ERROR', 1],
  },
  {
    does: 'hides a 403 in 200',
    fault: both('{"errorCode":"E","status":403}'),
    read: ['FORBIDDEN', 1],
    write: ['FORBIDDEN', 1],
  },
  {
    does: 'hides the request limit in 200',
    fault: both('{"errorCode":"REQUEST_LIMIT_EXCEEDED"}'),
    read: ['RATE_LIMITED', 1],
  },
  { does: 'begins with a byte order mark', fault: both(`\u{feff}${RULE}`), read: OK(1) },
  { does: 'says a key twice', fault: both(`{"name":"first",${RULE.slice(1)}`), read: OK(1) },
  {
    does: 'has the keys of prototypes',
    fault: both(`{"__proto__":{"name":"x"},"constructor":1,${RULE.slice(1)}`),
    read: OK(1),
  },
  {
    does: 'has a number that no double holds',
    fault: both(`{"limit":1e400,${RULE.slice(1)}`),
    read: OK(1),
  },
  {
    does: 'nests very deep',
    fault: both('['.repeat(50_000) + ']'.repeat(50_000)),
    read: INVALID(1),
    write: UNKNOWN,
  },
  {
    does: 'sends malformed UTF-8',
    fault: answers(200, Buffer.from([0x7b, 0xff, 0x7d])),
    read: INVALID(1),
    write: UNKNOWN,
  },
  {
    does: 'names a charset that nobody knows',
    fault: both(RULE, 'Content-Type: application/json; charset=utf-7'),
    read: INVALID(1),
  },
  {
    does: 'sends UTF-16 and says so',
    fault: answers(200, Buffer.from(RULE, 'utf16le'), 'Content-Type: application/json; charset=utf-16'),
    read: OK(1),
  },
  {
    does: 'sends a gzip bomb',
    fault: answers(200, gzipSync(Buffer.alloc(50_000_000)), 'Content-Encoding: gzip'),
    read: INVALID(1),
    write: UNKNOWN,
  },
  {
    does: 'encodes its body fifty times',
    fault: both(RULE, `Content-Encoding: ${Array(50).fill('gzip').join(', ')}`),
    read: INVALID(1),
  },
  { does: 'pours without an end', fault: pour, read: INVALID(1), write: UNKNOWN },
];
