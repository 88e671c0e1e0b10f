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
  gateway.operator.pages.set('/status', async ({ accept = '' }) => {
    const state = await readStatus({ ...gateway, tally });
    return accept.includes('application/json')
      ? { type: 'application/json', body: JSON.stringify(state) }
      : { type: 'text/html; charset=utf-8', body: renderStatus(state), headers: STATUS_HEADERS };
  });
}
