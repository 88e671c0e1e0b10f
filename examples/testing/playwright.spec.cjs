const { expect, test } = require('@playwright/test');
const { startGateway } = require('caseway/testing');

let gateway;
test.beforeAll(async () => {
  gateway = await startGateway();
});
test.afterEach(() => gateway.reset());
test.afterAll(() => gateway.close());

// A frontend would get `gateway.url` as the gateway's address. Here the page is the playground.
test('the page shows what the platform refuses', async ({ page }) => {
  await gateway.fail('getFormIntances', { with: 503 });
  await page.goto(`${gateway.url}/playground`);

  const answer = await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/graphql', {
      method: 'POST',
      headers,
      body: '{"query":"{ suppliers { totalCount } }"}',
    });
    return response.json();
  });

  expect(answer.errors[0].extensions.code).toBe('UPSTREAM_ERROR');
});
