import { createLog, standardOutput } from '../telemetry/log.ts';
import { readConfiguration } from '../wiring/configuration.ts';
import { type Gateway, startGateway } from '../wiring/gateway.ts';
import type { Command, Process } from './command.ts';

/** `npm start`: the gateway, with a sandbox where no platform is configured. */
export const start: Command = {
  name: 'start',
  about: 'serves the gateway, with the sandbox behind it unless UPSTREAM_URL is set (the default)',
  async run({ env, say, stopped }) {
    const configuration = readConfiguration(env);
    const log = createLog(configuration.settings.LOG_LEVEL, standardOutput());
    const gateway = await startGateway(configuration, log);
    if (gateway.sandbox && configuration.settings.NODE_ENV === 'production') {
      log.warn('UPSTREAM_URL is not set: this gateway serves the sandbox, which holds sample data');
    }
    introduce(gateway, say);
    await stopped;
    await gateway.close();
  },
};

function introduce({ url, metricsUrl, sandbox, isExplorable }: Gateway, say: Process['say']): void {
  say(`Caseway answers GraphQL at ${url}/graphql`);
  if (isExplorable) {
    say(`  playground  ${url}/playground`);
    say(`  schema      ${url}/schema.graphql`);
  }
  say(`  health      ${url}/livez  ${url}/readyz`);
  if (metricsUrl) say(`  metrics     ${metricsUrl}`);
  if (sandbox)
    say(`  sandbox     ${sandbox.url}/v1.0  (no UPSTREAM_URL is set; it signs in as ${sandbox.users[0]?.username})`);
  say('Stop it with Ctrl+C.');
}
