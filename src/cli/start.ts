import { resolve } from 'node:path';

import { type Gateway, readConfig, startGateway } from '../app.ts';
import type { Command, CommandContext } from '../command.ts';
import { createLog } from '../core/log.ts';
import { describePlatformProblem } from './command.ts';
import { standardOutput } from './log-output.ts';

/** `caseway start`: the gateway, with a sandbox where no platform is configured. */
export const start: Command = {
  name: 'start',
  summary: 'serves the gateway, with the sandbox behind it unless UPSTREAM_URL is set (the default)',
  async run({ env, isTerminal, stdout, stopped }) {
    const config = readConfig(env);
    const isReadable = isTerminal && config.settings.NODE_ENV !== 'production';
    const output = await standardOutput({ isReadable });
    const log = createLog(config.settings.LOG_LEVEL, output, { isReadable });
    try {
      const gateway = await startGateway(config, log, output.lost);
      if (gateway.sandbox && config.settings.NODE_ENV === 'production') {
        log.warn('SANDBOX is on: this gateway serves the sandbox with sample data');
      }
      introduce(gateway, config.settings.SANDBOX_FILE, stdout);
      gateway.checkToken().catch((error: unknown) => log.warn(describePlatformProblem(error)));
      await stopped;
      await gateway.close();
    } finally {
      await output.drain?.();
    }
  },
};

function introduce(
  { url, metricsUrl, sandbox, isExplorable }: Gateway,
  sandboxFile: string,
  stdout: CommandContext['stdout'],
): void {
  stdout(`Caseway serves GraphQL at ${url}/graphql`);
  if (isExplorable) {
    stdout(`  playground  ${url}/playground`);
    stdout(`  schema      ${url}/schema.graphql`);
  }
  stdout(`  health      ${url}/livez  ${url}/readyz`);
  if (metricsUrl) stdout(`  metrics     ${metricsUrl}  ${new URL('/status', metricsUrl)}`);
  if (sandbox) {
    stdout(`  sandbox     ${sandbox.url}/v1.0  (UPSTREAM_URL is not set; signed in as ${sandbox.users[0]?.username})`);
    if (sandboxFile !== ':memory:') stdout(`  its data    ${resolve(sandboxFile)}`);
  }
  stdout('Press Ctrl+C to stop.');
}
