import { createHash } from 'node:crypto';

/** Gives a thing's name in Redis: what it is, and texts that tell nothing by themselves. */
export type Names = (what: string, ...blinded: readonly string[]) => string;

/** How what lies in Redis is written. Replicas of another format find nothing, and leave nothing that can be mistaken. */
const FORMAT = 1;

/** Makes the names of one platform, so that gateways in front of another one can use the same Redis. */
export function createNames(platformUrl: string): Names {
  const platform = createHash('sha256').update(platformUrl).digest('base64url').slice(0, 22);
  return (what, ...blinded) => ['caseway', FORMAT, platform, what, ...blinded].join(':');
}
