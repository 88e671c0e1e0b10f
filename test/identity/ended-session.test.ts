import { expect, it } from 'vitest';

import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';
import { askAs, READ, signIn, startWith, VIEWER } from './support.ts';

it('a session ends, and its cookie is cleared, once the platform goes on refusing it', async () => {
  let answer: ScriptedAnswer = { body: { idForm: 'supplier', name: 'Supplier', fields: [] } };
  const platform = await scriptPlatform(() => answer);
  const url = await startWith({ ...platform.env, IDENTITY: 'user' });
  const browser = { 'sec-fetch-site': 'same-origin', 'x-csrf': '1' };
  const [setCookie = ''] = (await askAs(url, signIn('ann'), browser)).cookies;
  const headers = { ...browser, cookie: setCookie.split(';')[0] ?? '' };
  answer = { status: 401, body: {} };

  const first = await askAs(url, READ, headers);
  const viewerBefore = await askAs(url, VIEWER, headers);
  const cleared = async () => (await askAs(url, READ, headers)).cookies[0] ?? '';
  await expect.poll(cleared, { timeout: 20_000, interval: 300 }).toMatch(/^__Host-caseway=;/);
  const viewerAfter = await askAs(url, VIEWER, headers);

  expect(first.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(viewerBefore.data.viewer.name).toBe('ann');
  expect(viewerAfter.data).toEqual({ viewer: null });
});
