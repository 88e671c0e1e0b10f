import { type Gateway, readConfig, startGateway } from '../app.ts';
import type { Command, CommandContext } from '../command.ts';
import { createLog } from '../core/log.ts';
import { checkStart } from './check-start.ts';
import { describePlatformProblem } from './command.ts';
import { standardOutput } from './log-output.ts';

/** `caseway start`: the gateway, with a sandbox where no platform is configured. With `--check` only whether it would start. */
export const start: Command = {
  name: 'start',
  summary: 'serves the gateway, with the sandbox behind it unless UPSTREAM_URL is set (the default)',
  options: { check: { type: 'boolean' } },
  usage: [
    'Usage: caseway [start] [--check]',
    '',
    'Serves GraphQL until it is stopped, by Ctrl+C or SIGTERM. Without UPSTREAM_URL a sandbox with sample data stands behind it.',
    '',
    '  --check  tell whether a start would take settings, keys, documents, roles, secrets and certificates, and end',
    '',
    'Settings are environment variables, or lines of a file .env in this folder; caseway --help lists them.',
    'It ends with 0 when it was stopped or a start would take all, with 1 where it cannot serve, and with 2 for invalid settings or',
    'files: all problems are listed at once.',
  ].join('\n'),
  async run(context) {
    if (context.options['check']) return checkStart(context);
    const { env, isTerminal, stdout, stopped, signals } = context;
    const config = readConfig(env);
    const isReadable = isTerminal && config.settings.NODE_ENV !== 'production';
    const output = await standardOutput({ isReadable });
    const log = createLog(config.settings.LOG_LEVEL, output, isReadable);
    try {
      const gateway = await startGateway(config, log, signals, output.lost);
      introduce(gateway, stdout);
      gateway
        .checkToken()
        .catch((error: unknown) => log.warn(`the platform issues no token: ${describePlatformProblem(error)}`));
      await stopped;
      await gateway.close();
    } finally {
      await output.drain?.();
    }
  },
};

function introduce({ url, metricsUrl, about, isExplorable }: Gateway, stdout: CommandContext['stdout']): void {
  stdout(`Caseway serves GraphQL at ${url}/graphql`);
  if (isExplorable) {
    stdout(`  playground  ${url}/playground`);
    stdout(`  schema      ${url}/schema.graphql`);
  }
  stdout(`  health      ${url}/livez  ${url}/readyz`);
  if (metricsUrl) stdout(`  metrics     ${metricsUrl}  ${new URL('/status', metricsUrl)}`);
  for (const line of about) stdout(`  ${line}`);
  stdout('Press Ctrl+C to stop.');
}
