import type { Feature } from '../../feature.ts';

/** Spans of requests and calls, sent by OpenTelemetry where its variables say so. */
export const traces: Feature = {
  async open({ traces: config, version, log, observers, defer }) {
    if (config === undefined) return;
    // Its import is slow.
    const { createTracer } = await import('./tracer.ts');
    const { observer, close } = await createTracer({ ...config, version, log });
    observers.add(observer);
    defer(close);
  },
};
