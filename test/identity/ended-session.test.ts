import { expect, it } from 'vitest';

import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';
import { executeAs, READ, signIn, startWith, VIEWER } from './support.ts';

const WELL: ScriptedAnswer = { body: { idForm: 'supplier', name: 'Supplier', fields: [] } };
const REFUSAL: ScriptedAnswer = { status: 401, body: {} };
const BROWSER = { 'sec-fetch-site': 'same-origin', 'x-csrf': '1' };

async function startSignedIn() {
  let answer = WELL;
  const platform = await scriptPlatform(() => answer);
  const url = await startWith({ ...platform.env, IDENTITY: 'user', CACHE_DEFINITIONS_MS: '0' });
  const signedIn = async () => {
    const [setCookie = ''] = (await executeAs(url, signIn('ann'), BROWSER)).cookies;
    return { ...BROWSER, cookie: setCookie.split(';')[0] ?? '' };
  };
  const become = (next: ScriptedAnswer) => {
    answer = next;
  };
  return { url, signedIn, become, headers: await signedIn() };
}

it('a session that the platform refuses ends, and its cookie is cleared', async () => {
  const { url, headers, become } = await startSignedIn();
  become(REFUSAL);

  const refused = await executeAs(url, READ, headers);
  const viewer = await executeAs(url, VIEWER, headers);

  expect(refused.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(refused.cookies).toEqual([expect.stringMatching(/^__Host-caseway=;/)]);
  expect(viewer.data).toEqual({ viewer: null });
});

it('signing in ends the refusal at once, also where the platform issues the same token', async () => {
  const { url, signedIn, headers, become } = await startSignedIn();
  become(REFUSAL);
  await executeAs(url, READ, headers);
  become(WELL);

  const renewed = await signedIn();

  expect((await executeAs(url, VIEWER, renewed)).data.viewer.name).toBe('ann');
  expect((await executeAs(url, READ, renewed)).data).toEqual({ form: { name: 'Supplier' } });
});
