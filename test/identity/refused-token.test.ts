import { describe, expect, it } from 'vitest';

import { type ScriptedAnswer, scriptPlatform } from '../support/scripted-platform.ts';
import { executeAs, READ, signIn, startWith } from './support.ts';

const WELL: ScriptedAnswer = { body: { idForm: 'supplier', name: 'Supplier' } };
const REFUSAL: ScriptedAnswer = { status: 401, body: {} };
const PAGE: ScriptedAnswer = { body: '<!doctype html><title>Busy</title>', headers: { 'content-type': 'text/html' } };

/** A platform that issues the same token to everyone, with scripted responses. */
async function startChangeable() {
  let answer = WELL;
  const platform = await scriptPlatform(() => answer);
  return {
    ...{ url: platform.env.UPSTREAM_URL, seen: platform.seen },
    become(next: ScriptedAnswer) {
      answer = next;
      platform.seen.length = 0;
    },
  };
}

const CALLERS = {
  user: async (url: string) => `Bearer ${(await executeAs(url, signIn('ann'))).data.signIn.sessionToken}`,
  forward: async () => 'Bearer token',
} as const;

async function startCaller(IDENTITY: keyof typeof CALLERS) {
  const platform = await startChangeable();
  const url = await startWith({ UPSTREAM_URL: platform.url, IDENTITY });
  const authorization = await CALLERS[IDENTITY](url);
  const read = async () => {
    const { data, errors } = await executeAs(url, READ, { authorization });
    return errors?.[0]?.extensions['code'] ?? data.form.name;
  };
  return { platform, url, read };
}

describe.each(['user', 'forward'] as const)("a caller's token, IDENTITY=%s", (identity) => {
  it('is tried again some seconds after the platform refused it', async () => {
    const { platform, read } = await startCaller(identity);
    platform.become(REFUSAL);
    const refused = [await read(), await read(), await read()];
    const callsWhileRefused = platform.seen.length;
    platform.become(WELL);

    await expect.poll(read, { timeout: 15_000, interval: 200 }).toBe('Supplier');

    expect(refused).toEqual(Array(3).fill('UNAUTHENTICATED'));
    expect(callsWhileRefused).toBe(1);
  });

  it('stays valid when the platform responds with a web page', async () => {
    const { platform, read } = await startCaller(identity);
    platform.become(PAGE);
    const unreadable = await read();
    platform.become(WELL);

    expect(unreadable).toBe('UPSTREAM_INVALID_RESPONSE');
    expect(await read()).toBe('Supplier');
  });
});
