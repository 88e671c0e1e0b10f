import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { startRateService } from '../../../examples/extension/rate-service.ts';
import { postGraphql } from '../../support/gateway.ts';
import { runMain } from '../../support/run.ts';

const ROOT = join(import.meta.dirname, '../../..');
const EXTENSION = join(ROOT, 'examples/extension/purchasing.ts');

async function start() {
  const rates = await startRateService(0);
  onTestFinished(rates.close);
  const run = runMain([], {
    ...{ PORT: '0', SANDBOX_FILE: ':memory:', NODE_ENV: 'development' },
    ...{ EXTENSIONS: EXTENSION, RATES_URL: rates.url },
  });
  const url = await run.printed(/GraphQL at (\S+)\/graphql/);
  return { url, rates, execute: (query: string) => postGraphql(url, JSON.stringify({ query })) };
}

describe('the example of an extension', () => {
  it('computes a field, and converts a hundred amounts with one call to another service', async () => {
    const { execute, rates } = await start();

    const { data, errors } = await execute(
      '{ exchangeRate(currency: "CHF") purchaseRequests(first: 100) { nodes { title supplier { name } amount createdAt ageDays label amountIn(currency: "USD") } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.exchangeRate).toBe('0.94');
    for (const { title, supplier, amount, createdAt, ageDays, label, amountIn } of data
      .purchaseRequests.nodes) {
      expect(label).toBe(`${title} (${supplier?.name ?? 'no supplier'})`);
      expect(amountIn).toBe((Number(amount) * 1.08).toFixed(2));
      expect(ageDays).toBe(Math.floor((Date.now() - Date.parse(createdAt)) / 86_400_000));
    }
    expect(rates.calls.sort()).toEqual(['/rates/CHF', '/rates/USD']);
  });

  it('creates a request and starts its case in one mutation', async () => {
    const { execute } = await start();

    const { data, errors } = await execute(`mutation {
      submitPurchaseRequest(input: { title: "Chairs", amount: "120.50", requester: "1" }) {
        purchaseRequest { title status ageDays } caseId activity
      }
    }`);

    expect(errors).toBeUndefined();
    expect(data.submitPurchaseRequest).toEqual({
      purchaseRequest: { title: 'Chairs', status: 'SUBMITTED', ageDays: null },
      caseId: expect.stringMatching(/^\d+$/),
      activity: expect.any(String),
    });
  });
});
