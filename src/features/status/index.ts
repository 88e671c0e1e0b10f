import type { Feature, GatewayParts } from '../../feature.ts';
import { renderStatus, STATUS_HEADERS } from './page.ts';
import { readStatus } from './status.ts';
import { createTally } from './tally.ts';

/** `/status` on the operator's port: the state of the gateway, as a page or as JSON. */
export const status: Feature = {
  configure: () => ({ open }),
};

function open(gateway: GatewayParts): void {
  if (gateway.operator === undefined) return;
  const tally = createTally();
  gateway.observers.add(tally.observer);
  gateway.operator.get('/status', async ({ headers: { accept = '' } }, reply) => {
    const state = await readStatus({ ...gateway, tally });
    if (accept.includes('application/json')) return state;
    return reply.headers(STATUS_HEADERS).type('text/html; charset=utf-8').send(renderStatus(state));
  });
}
