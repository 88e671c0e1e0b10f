import { resolve } from 'node:path';

import type { Feature } from '../../feature.ts';
import type { Login } from '../../graphql/context.ts';
import { sandboxCommand } from './command.ts';
import { readSettings, SANDBOX_SETTINGS } from './settings.ts';
import { startSandbox } from './start.ts';
import { testingCommand } from './testing.ts';

/** The embedded platform with sample data, where `UPSTREAM_URL` names none. */
export const sandbox: Feature = {
  settings: SANDBOX_SETTINGS,
  commands: [sandboxCommand, testingCommand],
  besideAnother: { SANDBOX_FILE: ':memory:', SANDBOX_PORT: '0', SANDBOX_REQUEST_LIMIT: '0' },
  configure,
};

function configure({ settings, report }: Parameters<Feature['configure']>[0]): ReturnType<Feature['configure']> {
  const sandboxSettings = readSettings(settings);
  if (settings.UPSTREAM_URL !== undefined) {
    if (sandboxSettings.SANDBOX === 'on') report('SANDBOX', 'is on, and UPSTREAM_URL is set; unset one of them');
    return undefined;
  }
  const isProduction = settings.NODE_ENV === 'production';
  return {
    async openPlatform({ log, defer }) {
      if ((sandboxSettings.SANDBOX ?? (isProduction ? 'off' : 'on')) === 'off') {
        throw new Error('There is no platform: set UPSTREAM_URL, or SANDBOX=on for the embedded one with sample data.');
      }
      const onError = (cause: string) => log.error({ cause }, 'the sandbox failed');
      const { url, users } = await startSandbox(sandboxSettings, defer, onError);
      const [user] = users;
      if (user === undefined) throw new Error('The sandbox’s definitions name no user; add one to users.yaml.');
      if (isProduction) log.warn('SANDBOX is on: this gateway serves the sandbox with sample data');
      return { url, user, about: describe(url, user, sandboxSettings.SANDBOX_FILE) };
    },
  };
}

/** Gives the lines that say where the sandbox is, and where its data are. */
function describe(url: string, { username }: Login, file: string): readonly string[] {
  const place = `sandbox     ${url}/v1.0  (UPSTREAM_URL is not set; signed in as ${username})`;
  return file === ':memory:' ? [place] : [place, `its data    ${resolve(file)}`];
}
