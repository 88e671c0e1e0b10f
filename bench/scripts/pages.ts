import type { Stream } from '../load/job.ts';
import { CALLER } from '../stage/gateway.ts';

/** The usual reader: pages of 20 items, each a call to the platform, `rate` a second. */
export const pages = (rate: number): Stream => ({
  name: 'pages',
  operation: 'page',
  arrivals: { kind: 'open', rate },
  headers: CALLER,
  prefix: 'page',
});

/** Readers who ask one page after the other, as fast as they get them. */
export const eagerPages = (clients: number): Stream => ({ ...pages(0), arrivals: { kind: 'closed', clients } });
