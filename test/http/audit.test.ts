import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';

import { shareGateway } from '../support/gateway.ts';

describe.each(['production', 'development'])('the graphql-http audit in %s', (NODE_ENV) => {
  const gateway = shareGateway({ NODE_ENV, CALLER_AUTH: 'none' });

  const audits = serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn: fetch });

  it('has 61 checks', () => {
    expect(audits).toHaveLength(61);
  });

  it.each(audits)('$id: the server $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });
});
