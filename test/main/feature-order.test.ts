import { expect, it, onTestFinished } from 'vitest';
import type { AppConfig } from '../../src/app/config.ts';
import { readConfig, startGateway } from '../../src/app/index.ts';
import { createLog } from '../../src/core/log.ts';
import { writeFolder } from '../support/folder.ts';
import { postGraphql } from '../support/gateway.ts';

const EXTENSION = `export default {
  typeDefs: 'extend type Supplier { shout: String } extend type Mutation { createPurchaseRequests: Int }',
  resolvers: {
    Supplier: { shout: () => 'A' },
    Mutation: { createPurchaseRequests: () => 1 },
  },
};`;

/** Starts a gateway with its features in this order. Returns its schema, data and metric names. */
async function graphOf(arrange: (features: AppConfig['features']) => AppConfig['features']) {
  const config = readConfig({
    ...{ PORT: '0', METRICS_PORT: '0', SANDBOX_FILE: ':memory:' },
    ...{ EXTENSIONS: writeFolder({ 'own.js': EXTENSION }), FEDERATION: 'on' },
  });
  const features = arrange(config.features);
  const { url, metricsUrl, close } = await startGateway(
    { ...config, features },
    createLog('silent'),
  );
  onTestFinished(close);

  const schema = await (await fetch(`${url}/schema.graphql`)).text();
  const { data } = await postGraphql(
    url,
    '{"query":"{ _service { sdl } suppliers(first: 1) { nodes { shout } } }"}',
  );
  const metrics = await (await fetch(String(metricsUrl))).text();
  const names = [...metrics.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name).sort();
  return { schema, data, names };
}

it('a gateway is the same in whatever order its features are listed', async () => {
  const listed = await graphOf((features) => features);
  const reversed = await graphOf((features) => features.toReversed());

  expect(listed.schema).toContain('createPurchaseRequests_(');
  expect(reversed).toEqual(listed);
});
