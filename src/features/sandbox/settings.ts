import { z } from 'zod';

import { integer, ON_OFF, PORT_NUMBER, TEXT } from '../../config/setting-types.ts';
import { type Settings, valuesOf } from '../../config/settings.ts';

/** The settings of the sandbox. */
export const SANDBOX_SETTINGS = z
  .object({
    SANDBOX: ON_OFF.optional().meta({
      whenUnset: 'on without `UPSTREAM_URL`, but off in production',
      description: 'Whether the embedded platform is started and used instead of `UPSTREAM_URL`.',
    }),
    SANDBOX_PORT: PORT_NUMBER.default(4001).meta({
      unit: 'TCP port',
      description: 'The port the sandbox listens on, at the loopback address; 0 is any free port.',
    }),
    SANDBOX_FILE: TEXT.default('data/sandbox.sqlite').meta({
      unit: 'file',
      description: 'The file of the sandbox’s data; `:memory:` stores none.',
    }),
    SANDBOX_DEFINITIONS: TEXT.optional().meta({
      unit: 'folder',
      whenUnset: 'the samples',
      description: 'Your own forms, processes, rules and users.',
      isOfSchema: true,
    }),
    SANDBOX_REQUEST_LIMIT: integer(0, 1_000_000_000).default(6_000).meta({
      unit: 'requests per minute and user',
      description: 'The sandbox’s request limit; 0 is no limit.',
    }),
  })
  .meta({ title: 'Sandbox' });

/** Reads the values of the sandbox's settings. */
export const readSettings = (settings: Settings) => valuesOf(settings, SANDBOX_SETTINGS);
export type SandboxSettings = ReturnType<typeof readSettings>;
