import { RULE, writes } from '../faulty-platform.ts';
import { both, HEAD, INVALID, OK, type Row, UNKNOWN } from './row.ts';

/** Rows 13–17: what is no HTTP, or too much of it. */
export const BROKEN: readonly Row[] = [
  {
    does: 'speaks another protocol',
    fault: writes('SSH-2.0-OpenSSH_9.2\r\n'),
    read: INVALID(2),
    write: UNKNOWN,
  },
  {
    does: 'answers as a TLS port does',
    fault: (s) => s.end(Buffer.from([21, 3, 3, 0, 2, 2, 70])),
    read: INVALID(2),
    write: UNKNOWN,
  },
  {
    does: 'sends 200 KB of headers',
    fault: both(RULE, `X-Long: ${'x'.repeat(200_000)}`),
    read: INVALID(2),
    write: UNKNOWN,
  },
  {
    does: 'sends two lengths',
    fault: writes(`${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`),
    read: INVALID(2),
    write: UNKNOWN,
  },
  {
    does: 'sends less than its length',
    fault: (s) => s.end(`${HEAD}Content-Length: 9\r\n\r\n{}`),
    read: ['UPSTREAM_UNAVAILABLE', 2],
    write: UNKNOWN,
  },
  {
    does: 'sends more than its length',
    fault: writes(`${HEAD}Content-Length: 2\r\n\r\n{"name":1}`),
    read: INVALID(2),
  },
  {
    does: 'sends 103 before its answer',
    fault: writes(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${HEAD}Content-Length: ${RULE.length}\r\n\r\n${RULE}`),
    read: OK(1),
  },
  {
    does: 'sends 100 unasked',
    fault: writes('HTTP/1.1 100 Continue\r\n\r\n'),
    read: INVALID(2),
    write: UNKNOWN,
  },
];
