import { resolve } from 'node:path';

import type { Feature } from '../feature.ts';
import { sandboxCommand } from './command.ts';
import { readSettings, SANDBOX_SETTINGS } from './settings.ts';
import { openSandbox, startSandbox } from './start.ts';
import { testingCommand } from './testing.ts';

/** Provides an embedded platform with sample data if `UPSTREAM_URL` is not set. */
export const sandbox: Feature = {
  settings: SANDBOX_SETTINGS,
  commands: [sandboxCommand, testingCommand],
  configure({ settings, report }) {
    if (settings.UPSTREAM_URL !== undefined) return undefined;
    const sandboxSettings = readSettings(settings, report);
    const isProduction = settings.NODE_ENV === 'production';
    if (isProduction && !sandboxSettings.isNamed) {
      report.missing(
        'UPSTREAM_URL',
        'is needed in production; SANDBOX_FILE starts the embedded platform with sample data',
      );
    }
    return {
      async openPlatform({ log, defer }) {
        const onError = (cause: string) => log.error({ cause }, 'the sandbox failed');
        const { url, users } = await startSandbox(sandboxSettings, defer, onError);
        const [user] = users;
        if (user === undefined)
          throw new Error('The sandbox’s definitions name no user; add one to users.yaml.');
        if (isProduction)
          log.warn('SANDBOX_FILE is set: this gateway serves the sandbox with sample data');
        const { file } = sandboxSettings;
        const place = `sandbox     ${url}/v1.0  (UPSTREAM_URL is not set; signed in as ${user.username})`;
        const about = file === ':memory:' ? [place] : [place, `its data    ${resolve(file)}`];
        return { url, user, users: isProduction ? [] : users, about };
      },
      async checkFiles() {
        const { definitions } = sandboxSettings;
        // The check leaves the file of a running sandbox unchanged.
        const { close } = await openSandbox({ file: ':memory:', definitions });
        await close();
        return [['SANDBOX_DEFINITIONS', definitions ?? 'the samples']];
      },
    };
  },
};
