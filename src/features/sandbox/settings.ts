import { integer, ON_OFF, PORT_NUMBER, TEXT } from '../../config/setting-types.ts';
import { inGroup, type Settings, valuesOf } from '../../config/settings.ts';

/** The settings of the sandbox. */
export const SANDBOX_SETTINGS = inGroup('Sandbox', {
  SANDBOX: {
    type: ON_OFF,
    whenUnset: 'on without `UPSTREAM_URL`, but off in production',
    description: 'Whether the embedded platform is started and used instead of `UPSTREAM_URL`.',
  },
  SANDBOX_PORT: {
    type: PORT_NUMBER,
    unit: 'TCP port',
    default: 4001,
    description: 'The port the sandbox listens on, at the loopback address; 0 is any free port.',
  },
  SANDBOX_FILE: {
    type: TEXT,
    unit: 'file',
    default: 'data/sandbox.sqlite',
    description: 'The file of the sandbox’s data; `:memory:` stores none.',
  },
  SANDBOX_DEFINITIONS: {
    type: TEXT,
    unit: 'folder',
    whenUnset: 'the samples',
    description: 'Your own forms, processes, rules and users.',
    isOfSchema: true,
  },
  SANDBOX_REQUEST_LIMIT: {
    type: integer(0, 1_000_000_000),
    unit: 'requests per minute and user',
    default: 6_000,
    description: 'The sandbox’s request limit; 0 is no limit.',
  },
});

/** Reads the values of the sandbox's settings. */
export const readSettings = (settings: Settings) => valuesOf(settings, SANDBOX_SETTINGS);
export type SandboxSettings = ReturnType<typeof readSettings>;
