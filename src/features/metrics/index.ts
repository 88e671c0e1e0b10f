import type { Feature, Gateway } from '../feature.ts';

/** Serves `/metrics` on the operator port, for Prometheus. */
export const metrics: Feature = {
  configure: () => ({ open }),
};

async function open({ operator, observers, facts }: Gateway): Promise<void> {
  if (operator === undefined) return;
  // The import is slow, so it runs only in gateways that use the feature.
  const { createMetrics } = await import('./metrics.ts');
  const { observer, watch, text, contentType } = createMetrics();
  observers.add(observer);
  let isWatching = false;
  operator.get('/metrics', async (_request, reply) => {
    // Gauges are registered at the first scrape, because features that open later add theirs.
    if (!isWatching) facts.gauges.forEach(watch);
    isWatching = true;
    return reply.type(contentType).send(await text());
  });
}
