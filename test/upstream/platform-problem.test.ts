import { expect, it } from 'vitest';

import { describePlatformProblem } from '../../src/cli/command.ts';
import { UpstreamError } from '../../src/core/errors.ts';

const operation = 'getToken';
const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
const unusual = Object.assign(new Error('unusual'), { code: 'EPROTO' });

it.each([
  [{ operation, status: 418 }, /^rejected \(HTTP 418\); check UPSTREAM_URL/],
  [{ operation, status: 404 }, /^there is no token operation \(HTTP 404\);/],
  [{ operation, cause: refused }, /^its host refuses the connection \(ECONNREFUSED\);/],
  [{ operation, cause: unusual }, /^no connection \(EPROTO\); check UPSTREAM_URL/],
  [{ operation }, /^rejected; check UPSTREAM_URL/],
])('a failure of the platform with %j has its problem and the next step', (details, line) => {
  expect(describePlatformProblem(new UpstreamError('rejected', details))).toMatch(line);
});
