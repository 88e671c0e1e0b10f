import { integer } from '../../config/setting-types.ts';
import { inGroup } from '../../config/settings.ts';
import type { GatewayParts } from '../../feature.ts';
import type { Clock } from './clock.ts';

export const SETTINGS = inGroup('Live queries', {
  LIVE_INTERVAL_MS: {
    type: integer(1_000, 3_600_000),
    unit: 'ms',
    default: 5_000,
    description:
      'How often the platform is asked whether what a subscription shows has changed; `@every` asks for less.',
    isOfSchema: true,
  },
  LIVE_MAX_STREAMS: {
    type: integer(0, 100_000),
    unit: 'streams',
    default: 5_000,
    description:
      'How many subscriptions may be open in one process, and a tenth of that for each authenticated caller; 0 for none, and no type `Subscription`.',
    isOfSchema: true,
  },
});

/** The name of reads in the call budget that are made for nobody who waits for them. */
export const READ_KIND = 'poll';

/** The configuration of live queries. */
export interface LiveParts {
  readonly gateway: GatewayParts;
  readonly clock: Clock;
  /** The shortest interval between two polls of a resource. */
  readonly leastMs: number;
  readonly maxStreams: number;
  /** How many polls the call budget allows. */
  readonly callsPerMinute: number;
}
