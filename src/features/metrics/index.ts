import type { Feature, GatewayParts } from '../../feature.ts';

/** `/metrics` on the operator's port, for Prometheus. */
export const metrics: Feature = {
  configure: () => ({ open }),
};

async function open({ operator, observers, facts }: GatewayParts): Promise<void> {
  if (operator === undefined) return;
  // Loaded only where it is used.
  const { createMetrics } = await import('./metrics.ts');
  const { observer, watch, text, contentType } = createMetrics();
  observers.add(observer);
  let isWatching = false;
  operator.pages.set('/metrics', async () => {
    // Features that are opened later have figures as well.
    if (!isWatching) facts.figures.forEach(watch);
    isWatching = true;
    return { type: contentType, body: await text() };
  });
}
