import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { GATEWAY_LIMITS } from '../../src/config/config.ts';
import { startPlatform } from '../features/replicas/replicas.ts';
import { readiness } from '../features/replicas/support.ts';
import { keyEntries } from '../reload/support.ts';
import { writeFolder } from '../support/folder.ts';
import { freePort } from '../support/redis.ts';
import { runMain } from '../support/run.ts';
import { DEPLOY, hasPrograms, readDeployFile, runProgram } from './support.ts';

const UNIT = 'systemd/caseway.service';
const unit = readDeployFile(UNIT);
const all = (name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');
/** `A=1 B=2` and `"A=1 2"`, by name. */
const environment = new Map(
  all('Environment').flatMap((line) =>
    [...line.matchAll(/"(\w+)=([^"]*)"|(\w+)=(\S+)/g)].map(
      ([, quoted, text, name = quoted, value = text]) => {
        return [name ?? '', value ?? ''] as const;
      },
    ),
  ),
);

describe('the unit for systemd', () => {
  it.skipIf(!hasPrograms('systemd-analyze'))(
    'is valid, and leaves the process hardly a right',
    () => {
      const placed = unit
        .replace('/usr/bin/node', process.execPath)
        .replace('/opt/caseway', writeFolder({}));
      const file = join(writeFolder({ 'caseway.service': placed }), 'caseway.service');

      const faults = runProgram('systemd-analyze', ['verify', '--recursive-errors=no', file]);
      // The scale goes to ten; the command fails above the threshold.
      runProgram('systemd-analyze', [
        'security',
        '--offline=yes',
        '--threshold=20',
        join(DEPLOY, UNIT),
      ]);

      expect(faults).toBe('');
    },
  );

  it('gives the gateway enough time to shut down, and runs Node as the image does', () => {
    const dockerfile = readFileSync(join(DEPLOY, '../Dockerfile'), 'utf8');
    const [, options] = /^ENV (NODE_OPTIONS=.*)$/m.exec(dockerfile) ?? [];

    expect(Number(all('TimeoutStopSec')[0])).toBeGreaterThan(GATEWAY_LIMITS.shutdownMs / 1_000 + 1);
    expect(environment.get('NODE_OPTIONS')).toBe(parseEnv(String(options))['NODE_OPTIONS']);
  });

  it('has settings with which a gateway starts without a warning, waits until it is ready, and reloads it', async () => {
    const platform = await startPlatform();
    const port = String(await freePort());
    const folder = writeFolder({ 'upstream-password': 'demo', 'caller-keys': keyEntries('web') });
    const settings = [...environment].map(([name, value]) => [
      name,
      value.replace('/etc/caseway', folder),
    ]);
    const [command = ''] = all('ExecStartPost');
    const [program = '', ...args] = command.replace(/\$\{PORT\}/, port).split(' ');

    const waiting = promisify(execFile)(program.replace('-', ''), args);
    const run = runMain([], {
      ...Object.fromEntries(settings),
      UPSTREAM_URL: platform.url,
      UPSTREAM_USERNAME: 'demo',
      PORT: port,
      LOG_LEVEL: 'silent',
    });
    await waiting;
    const { status } = await readiness(`http://127.0.0.1:${port}`);
    run.stop('SIGKILL');

    expect([status, (await run.ended).stderr]).toEqual([200, '']);
    // The start does not depend on the wait.
    expect([program.startsWith('-'), environment.get('PORT')]).toEqual([true, '4000']);
    expect(all('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
  });
});
