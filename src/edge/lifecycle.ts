import type { RequestListener, ServerResponse } from 'node:http';

/** Whether the gateway stops, and what it still answers. */
export interface Lifecycle {
  isDraining(): boolean;
  /** From now on every answer ends its connection, so that its client goes elsewhere. */
  drain(): void;
  watch(serve: RequestListener): RequestListener;
  /** Resolves when nothing is being answered. */
  idle(): Promise<void>;
  /** Gives what is not answered yet. */
  unanswered(): readonly ServerResponse[];
}

export function createLifecycle(): Lifecycle {
  const open = new Set<ServerResponse>();
  let isDraining = false;
  let whenIdle: (() => void) | undefined;

  return {
    isDraining: () => isDraining,
    drain() {
      isDraining = true;
      for (const response of open) response.shouldKeepAlive = false;
    },
    watch: (serve) => (request, response) => {
      open.add(response);
      response.once('close', () => {
        open.delete(response);
        if (open.size === 0) whenIdle?.();
      });
      if (isDraining) response.shouldKeepAlive = false;
      serve(request, response);
    },
    idle: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve();
        else whenIdle = resolve;
      }),
    unanswered: () => [...open].filter(({ headersSent }) => !headersSent),
  };
}
