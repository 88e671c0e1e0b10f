import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';

import { startPlatform } from '../features/replicas/replicas.ts';
import { readiness } from '../features/replicas/support.ts';
import { executeAs } from '../identity/support.ts';
import { writeFolder } from '../support/folder.ts';
import { MAIN, runMain } from '../support/run.ts';
import { DEPLOY, readDeployFile, runProgram } from './support.ts';

const PAGE = readFileSync(join(DEPLOY, '../docs/production.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].flatMap(([, found, text = '']) =>
    found === language ? [text] : [],
  );
/** The variables of the unit for systemd that the page relies on. */
const UNIT_ENV = Object.fromEntries(
  [
    ...readDeployFile('systemd/caseway.service').matchAll(/(\w+_FILE|NODE_ENV|CALLER_AUTH)=(\S+)/g),
  ].map(([, name = '', value = '']) => [name, value]),
);

it('docs/production.md starts a gateway with its keys, roles and settings, and both checks pass', async () => {
  const platform = await startPlatform();
  const [settings = ''] = blocks('sh').filter((text) => text.startsWith('UPSTREAM_URL='));
  const [roles = ''] = blocks('json');
  const folder = writeFolder({ 'upstream-password': 'demo', 'roles.json': roles });
  const [command = ''] = /^npx caseway key .*$/m.exec(PAGE) ?? [];
  const write = command
    .replace('npx caseway', `${process.execPath} ${MAIN}`)
    .replace('/etc/caseway', folder);
  const [, key = ''] =
    /^ {2}([\w-]{43})$/m.exec(runProgram('sh', ['-c', `{ ${write}; } 2>&1 | cat`])) ?? [];
  const placed = Object.entries({ ...UNIT_ENV, ...parseEnv(settings) }).map(([name, value]) => [
    name,
    String(value).replace(/\/(etc|var\/log)\/caseway/, folder),
  ]);
  const env = {
    ...Object.fromEntries(placed),
    UPSTREAM_URL: platform.url,
    UPSTREAM_USERNAME: 'demo',
    PORT: '0',
    METRICS_PORT: '0',
  };

  const checked = await runMain(['start', '--check'], env).ended;
  const run = runMain([], env);
  const { url, metrics } = await run.addresses();
  const { status } = await readiness(url);
  const read = await executeAs(url, '{ forms { totalCount } }', { 'x-api-key': key });
  const served = await fetch(metrics);
  run.stop('SIGKILL');

  expect([checked.code, checked.stderr, status, served.status]).toEqual([0, '', 200, 200]);
  expect(read.data).toEqual({ forms: { totalCount: 4 } });
  expect((await run.ended).stderr).toBe('');
});
