import { z } from 'zod';

import { integer } from '../../config/setting-types.ts';
import type { Gateway } from '../feature.ts';
import type { Clock } from './clock.ts';

export const SETTINGS = z
  .object({
    LIVE_INTERVAL_MS: integer(0, 3_600_000)
      .refine((ms) => ms === 0 || ms >= 1_000, {
        error: 'must be 0, or an integer from 1000 to 3600000',
      })
      .default(5_000)
      .meta({
        unit: 'milliseconds',
        description:
          'The interval of a subscription’s runs; `@every` makes it longer. 0: there are no subscriptions.',
        isOfSchema: true,
      }),
  })
  .meta({ title: 'Live queries' });

/** The kind of these reads in the call budget. No request waits for them. */
export const READ_KIND = 'poll';

/** The configuration of live queries. */
export interface LiveParts {
  readonly gateway: Gateway;
  readonly clock: Clock;
  /** The shortest interval between two polls of a resource, in milliseconds. */
  readonly leastMs: number;
  readonly maxStreams: number;
  /** The maximum number of polls per minute. */
  readonly callsPerMinute: number;
}
