import { answers, CANARY, once } from '../faulty-platform.ts';
import { INVALID, OK, type Row, UNKNOWN } from './row.ts';

/** Rows 32–56: statuses. */
export const STATUSES: readonly Row[] = [
  {
    does: 'redirects to itself',
    fault: answers(302, '', 'Location: /v1.0/rules/bad-1/get-parameters'),
    read: INVALID(1),
  },
  ...[301, 302, 303, 307, 308].map((status) => ({
    does: `answers a POST by ${status}`,
    fault: answers(status, '', 'Location: /v1.0/cases/7'),
    write: UNKNOWN,
  })),
  { does: 'says 304 to who has no copy', fault: answers(304), read: INVALID(2), write: UNKNOWN },
  { does: 'says 304 once to who has no copy', fault: once(answers(304)), read: OK(2) },
  {
    does: 'says 401 once',
    fault: once(answers(401, '{"message":"no","errorCode":"SESSION"}')),
    read: OK(2),
    write: OK(2),
  },
  {
    does: 'says 401 for ever',
    fault: answers(401),
    read: ['UPSTREAM_UNAUTHENTICATED', 2],
    write: ['UPSTREAM_UNAUTHENTICATED', 2],
  },
  {
    does: 'says 403',
    fault: answers(403, `{"message":"${CANARY.body}"}`),
    read: ['FORBIDDEN', 1],
    write: ['FORBIDDEN', 1],
  },
  {
    does: 'says that its limit is exceeded',
    fault: answers(403, '{"errorCode":"REQUEST_LIMIT_EXCEEDED"}'),
    read: ['RATE_LIMITED', 1],
  },
  {
    does: 'says in a text that its limit is exceeded',
    fault: answers(403, 'REQUEST_LIMIT_EXCEEDED'),
    read: ['RATE_LIMITED', 1],
  },
  {
    does: 'says 403 with a page that holds the word of its limit',
    fault: answers(403, '<b>REQUEST_LIMIT_EXCEEDED</b>'),
    read: ['FORBIDDEN', 1],
  },
  { does: 'says 404', fault: answers(404), read: ['NOT_FOUND', 1], write: ['NOT_FOUND', 1] },
  { does: 'says 400', fault: answers(400), read: ['RULE_UNAVAILABLE', 1], write: ['BAD_USER_INPUT', 1] },
  { does: 'says 500 once', fault: once(answers(500, CANARY.body)), read: OK(2) },
  {
    does: 'says 500',
    fault: answers(500, CANARY.body),
    read: ['UPSTREAM_ERROR', 2],
    write: ['UPSTREAM_ERROR', 1],
  },
  { does: 'says 503 and to wait no time', fault: once(answers(503, '', 'Retry-After: 0')), read: OK(2) },
  {
    does: 'says 503 and to wait for nobody knows what',
    fault: answers(503, '', 'Retry-After: soon'),
    read: ['UPSTREAM_ERROR', 2],
  },
  {
    does: 'says 503 and to wait a negative time',
    fault: answers(503, '', 'Retry-After: -5'),
    read: ['UPSTREAM_ERROR', 2],
  },
  {
    does: 'says 503 and to wait longer than there is time',
    fault: answers(503, '', 'Retry-After: 20'),
    read: ['UPSTREAM_ERROR', 1],
  },
  {
    does: 'says 503 and to wait for a day',
    fault: answers(503, '', 'Retry-After: 86400'),
    read: ['UPSTREAM_ERROR', 1],
    write: ['UPSTREAM_ERROR', 1],
  },
  {
    does: 'closes when a request has come',
    fault: (s) => s.destroy(),
    read: ['UPSTREAM_UNAVAILABLE', 2],
    write: UNKNOWN,
  },
];
