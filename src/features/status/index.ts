import type { Feature } from '../feature.ts';

/**
 * Serves `/status` on the operator port: the state of a gateway as JSON. It contains no record
 * values, credentials or personal data.
 */
export const status: Feature = {
  configure: () => ({
    open({ operator, version, facts, http, upstream }) {
      operator?.get('/status', async () => {
        const [checks, gauges] = await Promise.all([
          Promise.all(
            facts.readiness.map(async (check) => ({ check, result: await check.read() })),
          ),
          Promise.all(
            facts.gauges.map(async ({ read, ...gauge }) => ({ ...gauge, value: await read() })),
          ),
        ]);
        const failed = checks.find(
          ({ check, result }) => check.isRequired && result !== 'ok',
        )?.check;
        const working = upstream.isAnswering() ? 'ready' : 'degraded: the platform does not answer';
        const state = http.isStopping()
          ? 'shutting down'
          : failed && `not ready: ${failed.problem ?? failed.name}`;
        return {
          title: `Caseway ${version}`,
          state: state ?? working,
          readiness: Object.fromEntries(checks.map(({ check, result }) => [check.name, result])),
          gauges,
          lines: facts.status.flatMap((read) => read()),
        };
      });
    },
  }),
};
