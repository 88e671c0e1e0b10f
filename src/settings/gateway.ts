import { choice, integer, optionalInteger, text } from './setting.ts';

/** How the gateway itself behaves. */
export const GATEWAY_SETTINGS = {
  PORT: integer({
    from: 0,
    to: 65_535,
    fallback: 4000,
    unit: 'TCP port',
    about: 'Where the gateway listens; 0 takes any free port.',
  }),
  METRICS_PORT: optionalInteger({
    from: 0,
    to: 65_535,
    unit: 'TCP port',
    about:
      'Where figures for Prometheus are read, at `/metrics`, from `HOST`; 0 takes any free port. Not set: there are none.',
  }),
  HOST: text({ fallback: '127.0.0.1', unit: 'address', about: 'The address to listen at; 0.0.0.0 is every one.' }),
  NODE_ENV: text({ fallback: 'development', unit: '', about: '`production` turns PLAYGROUND off unless it is set.' }),
  LOG_LEVEL: choice({
    words: ['silent', 'fatal', 'error', 'warn', 'info', 'debug'],
    fallback: 'info',
    about: 'How much is logged, as lines of JSON on standard output.',
  }),
  PLAYGROUND: choice({
    words: ['on', 'off'],
    fallback: undefined,
    about:
      'Whether the playground is served and the schema shown to introspection. `on` where it is not set, but `off` in production.',
  }),
  EXPLAIN: choice({
    words: ['on', 'off'],
    fallback: undefined,
    about:
      'Whether clients may ask what their operations cost, by `x-caseway-explain`. `on` where it is not set, but `off` in production.',
  }),
  SHORT_LANE: choice({
    words: ['on', 'off'],
    fallback: 'on',
    about:
      'Whether an operation that was found valid once skips parsing and validation from then on. `off` changes no answer, only what it costs.',
  }),
  PAGE_SIZE: integer({
    from: 1,
    to: 10_000,
    fallback: 20,
    unit: 'items',
    about: 'The size of a connection’s page where a query does not say `first`.',
  }),
  PAGE_SIZE_MAX: integer({
    from: 1,
    to: 10_000,
    fallback: 100,
    unit: 'items',
    about: 'The largest `first` of a connection.',
  }),
  BODY_MAX_BYTES: integer({
    from: 1_024,
    to: 104_857_600,
    fallback: 262_144,
    unit: 'bytes',
    about: 'The largest request body that is taken.',
  }),
} as const;
