import { createHash } from 'node:crypto';
import { type Arbitrary, constant, integer, oneof } from 'fast-check';

import type { Disturb, Disturbance } from '../../support/disturbed-platform.ts';

/** Answers that are none, or not what was asked for, whatever a platform says of it. */
export const WRONG_ANSWERS: readonly Disturbance[] = [
  'cut',
  { status: 403, body: '{"errorCode":"PERMISSION_DENIED"}' },
  { status: 404, body: '{"message":"no"}' },
  { status: 302, body: '' },
  { status: 200, body: '{"items":[{"idInstance":"1","values":{"name":null}},7]}' },
  { status: 200, body: '[]' },
  { status: 200, body: '{"half":' },
  { status: 200, body: '' },
];
const DISTURBANCES: readonly Disturbance[] = [
  ...WRONG_ANSWERS,
  { status: 503, body: '', retryAfter: '86400' },
  { status: 400, body: '{"message":"The field \\"a\\" is not one."}' },
];
/** So many of all calls pass for each that does not. */
const PASSING = 3;

const undisturbed: Disturb = () => undefined;

/** Random disturbances: each call meets the same one for as long as it lasts, whoever makes it and however often. */
export const randomDisturbance: Arbitrary<Disturb> = oneof(
  { arbitrary: constant(undisturbed), weight: 1 },
  {
    arbitrary: integer().map(
      (seed): Disturb =>
        (method, path) => {
          const draw = createHash('sha256').update(`${seed} ${method} ${path}`).digest().readUInt32BE();
          return DISTURBANCES[draw % (DISTURBANCES.length * (PASSING + 1))];
        },
    ),
    weight: 3,
  },
);
