import { type Env, startCountedGateway } from './gateway.ts';

/**
 * Starts a gateway before a sandbox whose instances were made an hour ago, so that the platform can
 * confirm copies of them.
 */
export async function startAgedGateway(env: Env, definitions?: string) {
  let agedMs = 3_600_000;
  const now = () => Date.now() - agedMs;
  const gateway = await startCountedGateway(env, { now, ...(definitions && { definitions }) });
  agedMs = 0;
  return gateway;
}
