import { buildSchema, printType } from 'graphql';
import { describe, expect, it } from 'vitest';

import { type Env, startGateway } from '../../support/gateway.ts';
import { subscribe } from './support.ts';

async function start(env: Env = {}) {
  const gateway = await startGateway(env);
  const sdl = await (await fetch(`${gateway.url}/schema.graphql`)).text();
  return { ...gateway, schema: buildSchema(sdl) };
}

describe('the type Subscription', () => {
  it('has the fields of Query that read instances, with the same arguments and types', async () => {
    const { schema } = await start({ TYPED_FORMS: 'supplier,purchase-request' });
    const fields = schema.getSubscriptionType()?.getFields() ?? {};
    const queries = schema.getQueryType()?.getFields() ?? {};

    expect(Object.keys(fields).sort()).toEqual(
      [
        'instance',
        'instances',
        'supplier',
        'suppliers',
        'supplierCounts',
        'purchaseRequest',
        'purchaseRequests',
        'purchaseRequestCounts',
      ].sort(),
    );
    for (const [name, { type, args }] of Object.entries(fields)) {
      expect(String(type)).toBe(String(queries[name]?.type));
      expect(args.map((arg) => `${arg.name}: ${arg.type}`)).toEqual(
        queries[name]?.args.map((arg) => `${arg.name}: ${arg.type}`),
      );
    }
    expect(schema.getDirective('every')?.locations).toEqual(['SUBSCRIPTION']);
    expect(printType(schema.getType('Query') as never)).not.toContain('@every');
  });

  it('is absent with LIVE_INTERVAL_MS=0, and a subscription is refused as an invalid query is', async () => {
    const { url, schema } = await start({ LIVE_INTERVAL_MS: '0' });
    expect(schema.getSubscriptionType()).toBeUndefined();
    const { status } = await subscribe(
      url,
      'subscription { instances(formId: "supplier") { totalCount } }',
    );
    expect(status).toBe(400);
  });
});
