import { describe, expect, it } from 'vitest';
import { startPlatform } from './platform/index.ts';
import { createPerson, stampOf } from './platform/people.ts';
import { createClient } from './play/client.ts';
import { startSubject } from './subject.ts';

const SIGN_IN = 'mutation ($input: SignInInput!) { signIn(input: $input) { sessionToken } }';
const READ = '{ form(formId: "same") { name } }';
const PATH = '/v1.0/forms/same';

async function startWithTwo() {
  const platform = await startPlatform('B');
  const { url } = await startSubject({ mode: 'user', variant: 'B' }, platform.url);
  const client = createClient(() => url);
  const [slow, quick] = [createPerson('a', 1), createPerson('b', 1)];
  for (const person of [slow, quick]) platform.accounts.addUser(person, new Map());

  const signIn = async ({ name, password }: typeof slow): Promise<string> => {
    const variables = { input: { username: name, password } };
    return (await client.send({ text: SIGN_IN, variables, headers: {} })).body.data.signIn.sessionToken;
  };
  const read = async (token: string): Promise<string> =>
    (await client.send({ text: READ, headers: { authorization: `Bearer ${token}` } })).body.data.form.name;
  return { platform, slow, quick, signIn, read };
}

describe('a caller whose platform calls are slow', () => {
  it('delays neither sign-ins nor reads of others while signing in', async () => {
    const { platform, slow, quick, signIn, read } = await startWithTwo();
    const order: string[] = [];
    platform.delays.hold(slow);
    const asked = platform.ledger.next(slow);

    const waiting = signIn(slow).then(() => order.push('slow'));
    await asked;
    const shown = await read(await signIn(quick));
    order.push('quick');
    platform.delays.release();
    await waiting;

    expect(shown).toBe(stampOf(quick, PATH));
    expect(order).toEqual(['quick', 'slow']);
  });

  it('delays no other caller who reads the same', async () => {
    const { platform, slow, quick, signIn, read } = await startWithTwo();
    const [slowToken, quickToken] = [await signIn(slow), await signIn(quick)];
    const order: string[] = [];
    platform.delays.hold(slow);
    const asked = platform.ledger.next(slow);

    const waiting = read(slowToken).finally(() => order.push('slow'));
    await asked;
    const shown = await read(quickToken);
    order.push('quick');
    platform.delays.release();

    expect([shown, await waiting]).toEqual([stampOf(quick, PATH), stampOf(slow, PATH)]);
    expect(order).toEqual(['quick', 'slow']);
  });
});
