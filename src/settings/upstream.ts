import { choice, integer, optionalText, optionalUrl, text } from './setting.ts';

/** How the gateway asks the platform. */
export const UPSTREAM_SETTINGS = {
  UPSTREAM_URL: optionalUrl({
    unit: 'URL',
    about: 'The platform’s `{base_url}`, without `/v1.0`. Not set: the sandbox is started and asked.',
  }),
  UPSTREAM_AUTH: choice({
    words: ['basic', 'credentials'],
    fallback: 'basic',
    about: 'How calls are authorized: `basic` is the interface’s variant B, `credentials` its variant A.',
  }),
  UPSTREAM_USERNAME: optionalText({
    unit: '',
    about: 'The user name of the Basic pair, or in the credentials.',
  }),
  UPSTREAM_PASSWORD: optionalText({
    unit: '',
    isSecret: true,
    about: 'The password of the Basic pair, or in the credentials.',
  }),
  UPSTREAM_CREDENTIALS: optionalText({
    unit: 'JSON object',
    isSecret: true,
    about: 'The whole body of `getToken` in variant A, instead of user name and password.',
  }),
  UPSTREAM_TOKEN_URL: optionalUrl({
    unit: 'URL',
    about: 'Where tokens are issued. Not set: `{base_url}/v1.0/token`.',
  }),
  UPSTREAM_GRANT_TYPE: text({ fallback: 'client_credentials', unit: '', about: 'The `grant_type` of variant B.' }),
  UPSTREAM_DIALECT: optionalText({
    unit: 'JSON file',
    about: 'What the interface leaves open, as the platform has it. Not set: as the sandbox has it.',
  }),
  UPSTREAM_CA_FILE: optionalText({
    unit: 'PEM file',
    about:
      'The authorities whose certificates the platform may show. Not set: those that Node knows. Certificates are always checked.',
  }),
  UPSTREAM_REPEAT_REFUSED: choice({
    words: ['all', 'reads'],
    fallback: 'all',
    about:
      'What is sent again, once, with a new token after a 401: `all`, as a platform refuses before it acts, or only `reads`.',
  }),
  UPSTREAM_TIMEOUT_MS: integer({
    from: 1,
    to: 600_000,
    fallback: 10_000,
    unit: 'milliseconds',
    about: 'The deadline of one call to the platform, from the asking to the last byte, token and second try included.',
  }),
  UPSTREAM_CONNECT_TIMEOUT_MS: integer({
    from: 1,
    to: 600_000,
    fallback: 1_000,
    unit: 'milliseconds',
    about: 'The longest that a connection to the platform may take to open.',
  }),
  UPSTREAM_CONNECTIONS: integer({
    from: 1,
    to: 4_096,
    fallback: 128,
    unit: 'connections',
    about: 'How many connections to the platform are open at most.',
  }),
  UPSTREAM_PENDING_MAX: integer({
    from: 1,
    to: 100_000,
    fallback: 2_048,
    unit: 'calls',
    about: 'How many calls may be under way or waiting for a connection; more are refused.',
  }),
  UPSTREAM_RESPONSE_MAX_BYTES: integer({
    from: 1_024,
    to: 1_073_741_824,
    fallback: 10_485_760,
    unit: 'bytes',
    about: 'The largest answer that is taken from the platform.',
  }),
} as const;
