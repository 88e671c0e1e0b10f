import { describe, expect, it } from 'vitest';

import { startRedis } from '../../support/redis.ts';
import { startServer } from '../../upstream/support/open.ts';
import { startSharers, whileShared } from './replicas.ts';

const read = (id: string) => `{ form(formId: "${id}") { name } }`;

/**
 * Starts a platform that numbers its tokens and accepts the ones for which `isGood` returns true.
 */
async function startIssuer(isGood: (token: string) => boolean) {
  let tokens = 0;
  const { url, received } = await startServer(({ target, headers }) => {
    if (target === '/v1.0/token')
      return { status: 200, body: { access_token: `token-${++tokens}`, expires_in: 3600 } };
    const [token = ''] = headers['authorization'] ?? [];
    return isGood(token)
      ? { status: 200, body: { idForm: target.slice(-1), name: 'Form' } }
      : { status: 401 };
  });
  const issued = () => received.filter(({ target }) => target === '/v1.0/token').length;
  return { issued, env: { UPSTREAM_URL: url } };
}

describe('the token of two replicas', () => {
  it('is issued once for both', async () => {
    const { answers, platform } = await whileShared(async () => {
      const [redis, platform] = [await startRedis(), await startIssuer(() => true)];
      const [a, b = a] = await startSharers(2, { ...platform.env, REDIS_URL: redis.url });
      const answers = await Promise.all([a.execute(read('a')), b.execute(read('b'))]);
      return { replicas: [a, b], answers, platform };
    });

    expect(answers.map(({ data }) => data.form.name)).toEqual(['Form', 'Form']);
    expect(platform.issued()).toBe(1);
  });

  it('is renewed once for both when it is refused', async () => {
    const { answers, platform } = await whileShared(async () => {
      const refused = new Set<string>();
      const [redis, platform] = [
        await startRedis(),
        await startIssuer((token) => !refused.has(token)),
      ];
      const [a, b = a] = await startSharers(2, { ...platform.env, REDIS_URL: redis.url });
      await Promise.all([a.execute(read('a')), b.execute(read('b'))]);
      refused.add('Bearer token-1');
      const answers = await Promise.all(
        [a, b, a, b].map(({ execute }, index) => execute(read(String(index)))),
      );
      return { replicas: [a, b], answers, platform };
    });

    expect(answers.map(({ data }) => data.form.name)).toEqual(['Form', 'Form', 'Form', 'Form']);
    expect(platform.issued()).toBe(2);
  });
});
