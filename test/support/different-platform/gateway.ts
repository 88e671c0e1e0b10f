import { startGateway } from '../gateway.ts';
import { type DifferentPlatformOptions, startDifferentPlatform } from './index.ts';

/** Starts a gateway with the different platform, configured by settings only. Both end with the test. */
export async function startBoth(options: DifferentPlatformOptions = {}, env: Readonly<Record<string, string>> = {}) {
  const platform = await startDifferentPlatform(options);
  const { execute } = await startGateway({ ...platform.settings, ...env });
  const callsBy = (method: string) => platform.calls.filter((call) => call.method === method).map(({ path }) => path);
  return { ...platform, execute, callsBy };
}
