import { ConfigError, loadSettings } from '../../config/load.ts';
import { CORE_SETTINGS } from '../../config/settings.ts';
import type { Command } from '../command.ts';
import { readSettings, SANDBOX_SETTINGS } from './settings.ts';
import { startSandbox } from './start.ts';

/** `caseway sandbox`: serves the embedded platform without a gateway. */
export const sandboxCommand: Command = {
  name: 'sandbox',
  summary: 'serves the sandbox alone, a forms, cases and rules platform to build against',
  usage: [
    'Usage: caseway sandbox',
    '',
    'Serves the sandbox alone until it is stopped, and prints its address and its users.',
    '',
    'Settings: SANDBOX_FILE, SANDBOX_DEFINITIONS, and PORT: it listens on the port after that, 4001 where it is not set.',
    'It ends with 0 when it was stopped, and with 2 for settings or definitions that cannot be used.',
  ].join('\n'),
  async run({ env, stdout, stderr, stopped }) {
    const loaded = loadSettings(env, [...CORE_SETTINGS, SANDBOX_SETTINGS]);
    const settings = readSettings(loaded.settings, loaded.report);
    if (loaded.problems.length > 0) throw new ConfigError(loaded.problems);
    await using resources = new AsyncDisposableStack();
    const onError = (cause: string) => stderr(`The sandbox failed: ${cause}`);
    const { url, users } = await startSandbox(settings, (close) => resources.defer(close), onError);
    const [user] = users;
    const credentials = JSON.stringify({ username: user?.username, password: user?.password });
    stdout(
      `The sandbox serves the REST interface at ${url}/v1.0 and stores its data in ${settings.file}`,
    );
    stdout('Users (name, password):');
    for (const { username, password, about } of users)
      stdout(`  ${username}  ${password}  ${about}`);
    stdout('Sign in, variant A (the token is in the Authorization header of the response):');
    stdout(`  curl -i ${url}/v1.0/token -H 'content-type: application/json' -d '${credentials}'`);
    stdout('Sign in, variant B:');
    stdout(
      `  curl ${url}/v1.0/token -u ${user?.username}:${user?.password} -d grant_type=client_credentials`,
    );
    stdout('Press Ctrl+C to stop.');
    await stopped;
  },
};
