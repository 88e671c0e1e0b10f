import { integer, optionalInteger } from './setting.ts';

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
  SEND_TIMEOUT_MS: integer({
    from: 1,
    to: 3_600_000,
    fallback: 60_000,
    unit: 'milliseconds',
    about: 'How long a client may take to read an answer; then its connection is closed.',
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
  ADMISSION_MAX_IN_FLIGHT: integer({
    from: 1,
    to: 100_000,
    fallback: 128,
    unit: 'requests',
    about:
      'How many requests are worked on at a time; more are refused by 503. A quarter more is kept for callers who have less than an equal part, and another for changes.',
  }),
  ADMISSION_LAG_MS: integer({
    from: 1,
    to: 60_000,
    fallback: 35,
    unit: 'milliseconds',
    about:
      'How long work may wait for its turn, or the event loop be late, before fewer requests are let in than that.',
  }),
  DRAIN_DELAY_MS: optionalInteger({
    from: 0,
    to: 600_000,
    unit: 'milliseconds',
    about:
      'How long a gateway that is told to stop serves on, unready, so that balancers notice. Not set: 5000 in production, else 0.',
  }),
  DRAIN_TIMEOUT_MS: integer({
    from: 0,
    to: 3_600_000,
    fallback: 25_000,
    unit: 'milliseconds',
    about: 'When a gateway that was told to stop ends what is still in flight, counted from then.',
  }),
} as const;
