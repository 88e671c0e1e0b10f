import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { startRateService } from '../../examples/extension/rate-service.ts';
import { PACKAGES } from '../support/application.ts';
import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

const FOLDER = join(import.meta.dirname, '../../examples/extension');

it('the example of an extension computes fields, calls another service, and changes records', async () => {
  const rates = await startRateService(0);
  onTestFinished(rates.close);
  const env = {
    PORT: '0',
    SANDBOX_FILE: ':memory:',
    NODE_ENV: 'development',
    EXTENSIONS: 'purchasing.ts',
    RATES_URL: rates.url,
  };
  const { addresses } = runMain([], env, FOLDER, join(PACKAGES, 'caseway/caseway.mjs'));
  const { url } = await addresses();

  const read = await postGraphql(url, {
    query: `{
      exchangeRate(currency: "CHF")
      purchaseRequests(first: 100) {
        nodes { title supplier { name } amount createdAt ageDays label amountIn(currency: "USD") }
      }
    }`,
  });
  const written = await postGraphql(url, {
    query: `mutation {
      submitPurchaseRequest(input: { title: "Chairs", amount: "120.50", requester: "1" }) {
        purchaseRequest { title status ageDays } caseId activity
      }
    }`,
  });

  expect([read.errors, written.errors]).toEqual([undefined, undefined]);
  expect(read.data.exchangeRate).toBe('0.94');
  for (const node of read.data.purchaseRequests.nodes) {
    const ageMs = Date.now() - Date.parse(node.createdAt);
    expect(node.label).toBe(`${node.title} (${node.supplier?.name ?? 'no supplier'})`);
    expect(node.amountIn).toBe((Number(node.amount) * 1.08).toFixed(2));
    expect(node.ageDays).toBe(Math.floor(ageMs / 86_400_000));
  }
  // One call for a hundred amounts.
  expect(rates.calls.sort()).toEqual(['/rates/CHF', '/rates/USD']);
  expect(written.data.submitPurchaseRequest).toEqual({
    purchaseRequest: { title: 'Chairs', status: 'SUBMITTED', ageDays: null },
    caseId: expect.stringMatching(/^\d+$/),
    activity: expect.any(String),
  });
});
