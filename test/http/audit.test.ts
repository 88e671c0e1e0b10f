import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startGateway, type TestGateway } from '../support/gateway.ts';

describe.each(['production', 'development'])('the graphql-http audit in %s', (NODE_ENV) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ NODE_ENV });
  });
  afterAll(() => gateway.close());

  const audits = serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn: fetch });

  it('has 61 checks', () => {
    expect(audits).toHaveLength(61);
  });

  it.each(audits)('$id: the server $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });
});
