import { expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startPlatform } from './platform/index.ts';
import { createPerson, stampOf } from './platform/people.ts';
import { createClient } from './play/client.ts';

const SIGN_IN = 'mutation ($input: SignInInput!) { signIn(input: $input) { sessionToken } }';
const READ = '{ form(formId: "same") { name } }';
const PATH = '/v1.0/forms/same';

it('a caller whose platform calls are slow delays neither sign-ins nor reads of others, at sign-in and at the same read', async () => {
  const platform = await startPlatform('B');
  const { url } = await startGateway({
    IDENTITY: 'user',
    UPSTREAM_URL: platform.url,
    UPSTREAM_AUTH: 'basic',
  });
  const client = createClient(() => url);
  const [slow, quick] = [createPerson('a', 1), createPerson('b', 1)];
  for (const person of [slow, quick]) platform.accounts.addUser(person, new Map());
  const signIn = async ({ name, password }: typeof slow): Promise<string> => {
    const variables = { input: { username: name, password } };
    return (await client.send({ text: SIGN_IN, variables, headers: {} })).body.data.signIn
      .sessionToken;
  };
  const read = async (token: string): Promise<string> =>
    (await client.send({ text: READ, headers: { authorization: `Bearer ${token}` } })).body.data
      .form.name;
  /**
   * Starts a slow action and a quick one. Returns their results in the order in which they ended.
   */
  const beside = async (slowly: () => Promise<string>, quickly: () => Promise<string>) => {
    const ended: string[] = [];
    const note = (text: string) => void ended.push(text);
    platform.delays.hold(slow);
    const asked = platform.ledger.next(slow);
    const waiting = slowly().then(note);
    await asked;
    await quickly().then(note);
    platform.delays.release();
    await waiting;
    return ended;
  };

  const atSignIn = await beside(
    () => signIn(slow),
    async () => read(await signIn(quick)),
  );
  const [slowToken = ''] = atSignIn.slice(1);
  const quickToken = await signIn(quick);
  const atRead = await beside(
    () => read(slowToken),
    () => read(quickToken),
  );

  expect(atSignIn[0]).toBe(stampOf(quick, PATH));
  expect(atRead).toEqual([stampOf(quick, PATH), stampOf(slow, PATH)]);
});
