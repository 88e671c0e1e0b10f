import { z } from 'zod';

import type { Report } from '../../config/load.ts';
import { TEXT } from '../../config/setting-types.ts';
import { type Settings, valuesOf } from '../../config/settings.ts';

export const SANDBOX_SETTINGS = z
  .object({
    SANDBOX_FILE: TEXT.optional().meta({
      unit: 'file',
      whenUnset: '`data/sandbox.sqlite`',
      description:
        'The file of the sandbox’s data; `:memory:` stores no data. In production the sandbox starts only if this is set.',
    }),
    SANDBOX_DEFINITIONS: TEXT.optional().meta({
      unit: 'folder',
      whenUnset: 'the samples',
      description: 'Your own forms, processes, rules and users.',
      isOfSchema: true,
    }),
  })
  .meta({ title: 'Sandbox' });

const MAX_PORT = 65_535;
const FILE = 'data/sandbox.sqlite';

export interface SandboxSettings {
  /** The path of the file of its data. */
  readonly file: string;
  /** The path of the folder of definitions. `undefined` for the samples. */
  readonly definitions: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
  /** Whether `SANDBOX_FILE` is set. */
  readonly isNamed: boolean;
}

/** Reads the settings and reports a port that the sandbox cannot use. */
export function readSettings(settings: Pick<Settings, 'PORT'>, report: Report): SandboxSettings {
  const { SANDBOX_FILE, SANDBOX_DEFINITIONS: definitions } = valuesOf(settings, SANDBOX_SETTINGS);
  const port = settings.PORT === 0 ? 0 : settings.PORT + 1;
  if (port > MAX_PORT)
    report('PORT', `must be less than ${MAX_PORT}: the sandbox listens on the port after it`);
  return { file: SANDBOX_FILE ?? FILE, definitions, port, isNamed: SANDBOX_FILE !== undefined };
}
