import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { answers, CANARY, CASE, type Fault, once, RULE, reply, writes } from './faulty-platform.ts';

/**
 * The outcome of a read or a write with a fault: the error code, if any, and the number of calls.
 */
export type Outcome = readonly [code: string | undefined, calls: number];

/** A fault of the platform with the outcome of a read and of a write, where it affects them. */
type Row = readonly [does: string, fault: Fault, read: Outcome | undefined, write?: Outcome];

/** A good response after this number of calls. */
const OK = (calls: number): Outcome => [undefined, calls];
const INVALID = (calls: number): Outcome => ['UPSTREAM_INVALID_RESPONSE', calls];
const UNAVAILABLE: Outcome = ['UPSTREAM_UNAVAILABLE', 2];
const FORBIDDEN: Outcome = ['FORBIDDEN', 1];
const NOT_FOUND: Outcome = ['NOT_FOUND', 1];
const REJECTED: Outcome = ['BAD_USER_INPUT', 1];
const LIMITED: Outcome = ['RATE_LIMITED', 1];
const FAILED = (calls: number): Outcome => ['UPSTREAM_ERROR', calls];
const UNAUTHENTICATED: Outcome = ['UPSTREAM_UNAUTHENTICATED', 2];
/** A write that was sent once, and whose answer was lost. */
const UNKNOWN: Outcome = ['OUTCOME_UNKNOWN', 1];

/** How a good answer begins. */
const HEAD = 'HTTP/1.1 200 OK\r\n';
const CUT = `${HEAD}Content-Length: 1000\r\n\r\n{"name":"${CANARY.body}`;
const CUT_CHUNKS = `${HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\n{"name":"\r\n`;
const EARLY = `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${HEAD}Content-Length: ${RULE.length}\r\n\r\n${RULE}`;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const ofType = (type: string) => `Content-Type: ${type}`;
const HTML = ofType('text/html');
const encoded = (coding: string) => `Content-Encoding: ${coding}`;
/** Answers 200. */
const says = (body: string | Buffer, ...headers: readonly string[]): Fault =>
  answers(200, body, ...headers);
const busy = (retryAfter: string) => answers(503, '', `Retry-After: ${retryAfter}`);

const drip = (socket: Socket) => {
  socket.write(`${HEAD}Content-Length: 1000\r\n\r\n`);
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
};
const late = (socket: Socket) => setTimeout(() => reply(socket, 200, RULE), 60);
/** Answers without an end. */
export const pour = (socket: Socket) => {
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const timer = setInterval(() => socket.write(`40000\r\n${'x'.repeat(0x40000)}\r\n`), 1);
  socket.on('close', () => clearInterval(timer));
};

/**
 * Faults that only the deadline ends: for a read after its second call, for a write with an unknown
 * outcome.
 */
export const ENDLESS: readonly (readonly [does: string, fault: Fault])[] = [
  ['accepts and sends nothing', () => undefined],
  ['sends nothing after 100', writes(CONTINUE)],
  ['drips its body byte by byte', drip],
  ['stops in the middle of its body', writes(CUT)],
];

/** The other faults that one request each can show. What takes more has tests of its own. */
export const ROWS: readonly Row[] = [
  // An answer that comes late, or not whole.
  ['is slow with its headers', late, OK(1)],
  [
    'resets in the middle of its body',
    (s) => s.write(CUT, () => s.resetAndDestroy()),
    UNAVAILABLE,
    UNKNOWN,
  ],
  ['ends in the middle of its body', (s) => s.end(CUT), UNAVAILABLE, UNKNOWN],
  ['ends once in the middle of its body', once((s) => s.end(CUT)), OK(2)],
  ['ends in the middle of its chunks', (s) => s.end(CUT_CHUNKS), UNAVAILABLE, UNKNOWN],
  ['ends a body without a length too early', (s) => s.end(`${HEAD}\r\n{"na`), INVALID(2), UNKNOWN],
  ['ends a body without a length too early, once', once((s) => s.end(`${HEAD}\r\n{"na`)), OK(2)],
  ['closes when a request has come', (s) => s.destroy(), UNAVAILABLE, UNKNOWN],

  // Responses that are not HTTP, or too large.
  ['speaks another protocol', writes('SSH-2.0-OpenSSH_9.2\r\n'), INVALID(2), UNKNOWN],
  [
    'answers as a TLS port does',
    (s) => s.end(Buffer.from([21, 3, 3, 0, 2, 2, 70])),
    INVALID(2),
    UNKNOWN,
  ],
  ['sends 200 KB of headers', says(RULE, `X-Long: ${'x'.repeat(200_000)}`), INVALID(2), UNKNOWN],
  [
    'sends two lengths',
    writes(`${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`),
    INVALID(2),
    UNKNOWN,
  ],
  ['sends more than its length', writes(`${HEAD}Content-Length: 2\r\n\r\n{"name":1}`), INVALID(2)],
  ['sends 103 before its answer', writes(EARLY), OK(1)],
  ['sends 100 unasked', (s) => s.write(CONTINUE, () => reply(s, 200, RULE)), OK(1)],
  [
    'sends 100 unasked to a write',
    (s) => s.write(CONTINUE, () => reply(s, 201, CASE)),
    undefined,
    OK(1),
  ],

  // Bodies.
  ['answers 200 with nothing', says(''), INVALID(2)],
  ['answers 201 with nothing where a case is due', answers(201), undefined, UNKNOWN],
  ['cuts its JSON and says so in its length', says(`{"name":"${CANARY.body}`), INVALID(2), UNKNOWN],
  ['calls its JSON application/hal+json', says(RULE, ofType('application/hal+json; a=b')), OK(1)],
  ['calls its JSON text/json', says(RULE, ofType('text/json')), OK(1)],
  ['calls its JSON an image', says(CASE, ofType('image/png')), INVALID(1), UNKNOWN],
  [
    'answers with a page',
    says(`<!DOCTYPE html>${CANARY.body}`, ofType('text/html')),
    INVALID(2),
    UNKNOWN,
  ],
  ['answers once with a page', once(says('<html></html>')), OK(2)],
  [
    'hides a refusal in 200',
    says('{"errorCode":"E","message":"no"}'),
    ['RULE_UNAVAILABLE', 1],
    REJECTED,
  ],
  [
    'hides a failure in 200',
    says(`{"status":500,"message":"${CANARY.body}"}`),
    FAILED(2),
    FAILED(1),
  ],
  ['hides a refused token in 200', says('{"status":401,"errorCode":"E"}'), REJECTED, REJECTED],
  ['hides an absence in 200', says('{"status":404,"errorCode":"E"}'), REJECTED, REJECTED],
  ['hides a lost answer in 200', says('{"status":504,"errorCode":"E"}'), FAILED(2), UNKNOWN],
  ['hides a 403 in 200', says('{"errorCode":"E","status":403}'), FORBIDDEN, FORBIDDEN],
  ['hides the request limit in 200', says('{"errorCode":"REQUEST_LIMIT_EXCEEDED"}'), LIMITED],
  ['begins with a byte order mark', says(`\u{feff}${RULE}`), OK(1)],
  ['says a key twice', says(`{"name":"first",${RULE.slice(1)}`), OK(1)],
  [
    'has the keys of prototypes',
    says(`{"__proto__":{"name":"x"},"constructor":1,${RULE.slice(1)}`),
    OK(1),
  ],
  ['has a number that no double holds', says(`{"limit":1e400,${RULE.slice(1)}`), OK(1)],
  ['nests very deep', says('['.repeat(50_000) + ']'.repeat(50_000)), INVALID(1), UNKNOWN],
  ['sends malformed UTF-8', says(Buffer.from([0x7b, 0xff, 0x7d])), INVALID(1), UNKNOWN],
  ['names an unknown charset', says(RULE, ofType('application/json; charset=utf8mb4')), OK(1)],
  [
    'names an unknown charset of other bytes',
    says(Buffer.from('{"a":"\xe9"}', 'latin1'), ofType('application/json; charset=x')),
    INVALID(1),
  ],
  [
    'sends UTF-16',
    says(Buffer.from(RULE, 'utf16le'), ofType('application/json; charset=utf-16')),
    OK(1),
  ],
  [
    'sends a gzip bomb',
    says(gzipSync(Buffer.alloc(50_000_000)), encoded('gzip')),
    INVALID(1),
    UNKNOWN,
  ],
  [
    'sends a gzip bomb with an error',
    answers(500, gzipSync(Buffer.alloc(50_000_000)), encoded('gzip')),
    FAILED(2),
    FAILED(1),
  ],
  ['encodes its body unasked', says(gzipSync(RULE), encoded('gzip')), OK(1)],
  ['cuts its encoded body', says(gzipSync(RULE).subarray(0, 20), encoded('gzip')), INVALID(1)],
  ['says of a plain body that it is encoded', says(RULE, encoded('gzip')), INVALID(1)],
  ['names fifty encodings', says(RULE, encoded(Array(50).fill('gzip').join(', '))), INVALID(1)],
  ['names two encodings', says(gzipSync(RULE), encoded('br, gzip')), INVALID(1), UNKNOWN],
  ['names an encoding that is none', says(RULE, encoded('UTF-8')), OK(1)],
  [
    'says of a plain 400 that it is encoded',
    answers(400, 'no', encoded('gzip')),
    ['RULE_UNAVAILABLE', 1],
    REJECTED,
  ],
  [
    'says of a plain 404 that it is encoded',
    answers(404, 'no', encoded('br')),
    NOT_FOUND,
    NOT_FOUND,
  ],
  [
    'says once of a plain 401 that it is encoded',
    once(answers(401, 'no', encoded('gzip'))),
    OK(2),
    OK(2),
  ],
  ['pours without an end', pour, INVALID(1), UNKNOWN],

  // Statuses.
  [
    'redirects to another host',
    answers(307, '', `Location: http://${CANARY.body}/`),
    INVALID(1),
    UNKNOWN,
  ],
  ...[301, 308].map(
    (status): Row => [
      `says ${status}`,
      answers(status, '', 'Location: /v1.0/cases/7'),
      INVALID(1),
      UNKNOWN,
    ],
  ),
  ['says 304 to who has no copy', answers(304), INVALID(2), UNKNOWN],
  ['says 304 once to who has no copy', once(answers(304)), OK(2)],
  ['says 401 once', once(answers(401, '{"message":"no","errorCode":"SESSION"}')), OK(2), OK(2)],
  ['says 401 for ever', answers(401), UNAUTHENTICATED, UNAUTHENTICATED],
  ['says 403', answers(403, `{"message":"${CANARY.body}"}`), FORBIDDEN, FORBIDDEN],
  [
    'says that its limit is exceeded',
    answers(403, '{"errorCode":"REQUEST_LIMIT_EXCEEDED"}'),
    LIMITED,
  ],
  [
    'says in a list that its limit is exceeded',
    answers(403, '[{"errorCode":"REQUEST_LIMIT_EXCEEDED"}]'),
    LIMITED,
  ],
  [
    'says under error that its limit is exceeded',
    answers(403, '{"error":{"code":"REQUEST_LIMIT_EXCEEDED"}}'),
    LIMITED,
  ],
  ['says in a text that its limit is exceeded', answers(403, 'REQUEST_LIMIT_EXCEEDED'), LIMITED],
  ['says 403 with a page of that word', answers(403, '<b>REQUEST_LIMIT_EXCEEDED</b>'), FORBIDDEN],
  ['says 404', answers(404), NOT_FOUND, NOT_FOUND],
  ['says 410', answers(410), NOT_FOUND, NOT_FOUND],
  ...[404, 410].flatMap((status): readonly Row[] => [
    [`says ${status} in JSON`, answers(status, '{"message":"x"}'), NOT_FOUND, NOT_FOUND],
    [`says ${status} without a body`, answers(status, '', HTML), NOT_FOUND, NOT_FOUND],
    [`says ${status} with a page`, answers(status, '<b>x</b>', HTML), INVALID(1), UNKNOWN],
    [`says ${status} with a page of no type`, answers(status, '<html>'), INVALID(1), UNKNOWN],
  ]),
  ['says 400', answers(400), ['RULE_UNAVAILABLE', 1], ['BAD_USER_INPUT', 1]],
  ['says 500 once', once(answers(500, CANARY.body)), OK(2)],
  ['says 500', answers(500, CANARY.body), FAILED(2), FAILED(1)],
  ...[502, 524].map(
    (status): Row => [`says ${status}`, answers(status, CANARY.body), FAILED(2), UNKNOWN],
  ),
  ['says 503 and to wait no time', once(busy('0')), OK(2)],
  ['says 503 and to wait for nobody knows what', busy('soon'), FAILED(2)],
  ['says 503 and to wait a negative time', busy('-5'), FAILED(2)],
  ['says 503 and to wait longer than there is time', busy('20'), FAILED(1)],
  ['says 503 and to wait for a day', busy('86400'), FAILED(1), FAILED(1)],
];
