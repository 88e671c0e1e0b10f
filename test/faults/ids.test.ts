import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { postGraphql } from '../support/gateway.ts';
import { codeOf, startFaultyGateway } from './support/faulty-gateway.ts';
import { answerWell } from './support/faulty-platform.ts';

const MUTATION = 'mutation ($id: ID!) { executeActivity(input: { caseId: $id, activityId: $id }) { case { caseId } } }';
const asks = (url: string, query: string, id: unknown) =>
  postGraphql(url, JSON.stringify({ query, variables: { id } }));
const RULE = 'query ($id: ID!) { rule(component: $id, version: "1") { component } }';

describe('a 64-bit id', () => {
  it('keeps every digit in requests and responses', async () => {
    const { gatewayUrl, requests } = await startFaultyGateway(answerWell);

    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), async (id) => {
        const answer = await asks(gatewayUrl, MUTATION, String(id));

        expect(answer.data?.executeActivity?.case.caseId).toBe(String(id));
        expect(requests.at(-1)?.target).toBe(`/v1.0/cases/${id}/activities/${id}/execute`);
      }),
      { numRuns: 50, examples: [[2n ** 53n + 1n], [-(2n ** 53n) - 1n], [2n ** 63n - 1n], [-(2n ** 63n)]] },
    );
  });
});

describe('an id in a path', () => {
  it('is one segment, encoded once, whatever its characters', async () => {
    // The same id may occur twice, and is read each time.
    const { gatewayUrl, requests } = await startFaultyGateway(answerWell, { CACHE_DEFINITIONS_MS: '0' });
    const ids = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((id) => !/\p{Cc}/u.test(id) && id !== '.' && id !== '..');

    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        await asks(gatewayUrl, RULE, id);

        const segments = requests.at(-1)?.target.split('/') ?? [];
        expect(segments).toHaveLength(5);
        expect(decodeURIComponent(segments[3] ?? '')).toBe(`${id}-1`);
      }),
      { numRuns: 50, examples: [['a/b'], ['?'], ['#'], [' '], ['ä'], ['\\'], ['%2F'], ['a%b'], ['+'], [';']] },
    );
  });

  it.each(['', '.', '..', '\ud800', 'a\r\nb', 'a\0b', 'x'.repeat(257)])(
    'is rejected as %j without a call',
    async (id) => {
      const { gatewayUrl, requests } = await startFaultyGateway(answerWell);
      const form = 'query ($id: ID!) { form(formId: $id) { name } }';

      const answer = await asks(gatewayUrl, form, id);

      expect(codeOf(answer)).toBe('BAD_USER_INPUT');
      expect(requests).toEqual([]);
    },
  );
});
