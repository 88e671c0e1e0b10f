import type { Feature } from '../../feature.ts';

/** `/status` on the operator's port: what an operator should know and that is no figure, as JSON. */
export const status: Feature = {
  configure: () => ({
    open({ operator, version, facts, http, upstream }) {
      operator?.get('/status', async () => {
        const checks = await Promise.all(facts.readiness.map(async (check) => ({ check, result: await check.read() })));
        const failed = checks.find(({ check, result }) => check.isRequired && result !== 'ok')?.check;
        const working = upstream.isAnswering() ? 'ready' : 'degraded: the platform does not answer';
        const state = http.isStopping() ? 'shutting down' : failed && `not ready: ${failed.problem ?? failed.name}`;
        return {
          title: `Caseway ${version}`,
          state: state ?? working,
          readiness: Object.fromEntries(checks.map(({ check, result }) => [check.name, result])),
          lines: facts.status.flatMap((read) => read()),
        };
      });
    },
  }),
};
