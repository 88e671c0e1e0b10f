import { expect, it } from 'vitest';

import { callerIn, callerOf } from '../../../src/edge/admission/applicant.ts';

it.each([
  [{ authorization: 'Bearer a' }, 'Bearer a'],
  [{ 'x-api-key': 'k' }, 'k'],
  [{ cookie: 'session=s' }, 'session=s'],
  [{ cookie: 'session=s', 'x-api-key': 'k', authorization: 'Bearer a' }, 'Bearer a'],
  [{ host: 'gateway' }, ''],
])('a caller with the headers %j is known as %j, parsed or not', (headers, name) => {
  const lines = Object.entries(headers).map(([header, value]) => `\r\n${header.toUpperCase()}: ${value}`);

  expect(callerOf(headers)).toBe(name);
  expect(callerIn(`POST / HTTP/1.1${lines.join('')}\r\n\r\n`)).toBe(name);
});
