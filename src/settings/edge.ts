import { integer } from './setting.ts';

/** What the HTTP front bears: slow clients, many of them, and work that takes long. */
export const EDGE_SETTINGS = {
  HEADERS_TIMEOUT_MS: integer({
    from: 1,
    to: 600_000,
    fallback: 5_000,
    unit: 'milliseconds',
    about: 'How long the head of a request may take to arrive, and a new connection to say anything.',
  }),
  RECEIVE_TIMEOUT_MS: integer({
    from: 1,
    to: 600_000,
    fallback: 10_000,
    unit: 'milliseconds',
    about: 'How long a whole request may take to arrive, its body included.',
  }),
  KEEP_ALIVE_TIMEOUT_MS: integer({
    from: 1,
    to: 3_600_000,
    fallback: 75_000,
    unit: 'milliseconds',
    about: 'How long a connection may stay idle; longer than the balancer in front keeps it.',
  }),
  MAX_CONNECTIONS: integer({
    from: 1,
    to: 1_000_000,
    fallback: 10_000,
    unit: 'connections',
    about: 'How many connections are open at most; more are closed at once.',
  }),
  MAX_REQUESTS_PER_CONNECTION: integer({
    from: 1,
    to: 1_000_000,
    fallback: 1_000,
    unit: 'requests',
    about: 'After how many answers a connection is closed, which the last of them says.',
  }),
  REQUEST_TIMEOUT_MS: integer({
    from: 1,
    to: 600_000,
    fallback: 30_000,
    unit: 'milliseconds',
    about: 'The deadline of one GraphQL request. What has not come by then is `UPSTREAM_TIMEOUT`.',
  }),
} as const;
