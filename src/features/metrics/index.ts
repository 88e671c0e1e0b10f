import type { Feature, Gateway } from '../feature.ts';

/** `/metrics` on the operator's port, for Prometheus. */
export const metrics: Feature = {
  configure: () => ({ open }),
};

async function open({ operator, observers, facts }: Gateway): Promise<void> {
  if (operator === undefined) return;
  // Loaded only where it is used.
  const { createMetrics } = await import('./metrics.ts');
  const { observer, watch, text, contentType } = createMetrics();
  observers.add(observer);
  let isWatching = false;
  operator.get('/metrics', async (_request, reply) => {
    // What is opened later has gauges as well.
    if (!isWatching) facts.gauges.forEach(watch);
    isWatching = true;
    return reply.type(contentType).send(await text());
  });
}
