import { integer, optionalText, text } from './setting.ts';

/** How the embedded platform is served, where there is no `UPSTREAM_URL`. */
export const SANDBOX_SETTINGS = {
  SANDBOX_PORT: integer({
    from: 0,
    to: 65_535,
    fallback: 4001,
    unit: 'TCP port',
    about: 'Where the sandbox listens, at the loopback address; 0 takes any free port.',
  }),
  SANDBOX_FILE: text({
    fallback: 'data/sandbox.sqlite',
    unit: 'file',
    about: 'Where the sandbox keeps its data; `:memory:` keeps none.',
  }),
  SANDBOX_DEFINITIONS: optionalText({
    unit: 'folder',
    about: 'Your own forms, processes, rules and users. Not set: the samples.',
  }),
  SANDBOX_REQUEST_LIMIT: integer({
    from: 0,
    to: 1_000_000_000,
    fallback: 6_000,
    unit: 'requests per minute and user',
    about: 'The sandbox’s request limit; 0 is none.',
  }),
} as const;
