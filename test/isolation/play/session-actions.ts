import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { BRIEFLY } from '../platform/sign-in.ts';
import { type Caller, createSession } from './caller.ts';
import { checkAnyAnswer } from './checks.ts';
import type { Answer, Client } from './client.ts';

const SIGN_IN = `mutation ($input: SignInInput!) { it: signIn(input: $input) { viewer { name } sessionToken expiresAt } }`;

/** Signs a person in with a password. */
async function signInWith(client: Client, { person }: Caller, password: string) {
  const input = { username: person.name, password };
  const answer = await client.send({ text: SIGN_IN, variables: { input }, headers: {} });
  const { sessionToken, viewer, expiresAt } = answer.body.data?.it ?? {};
  const [cookie = ''] = cookiesOf(answer);
  const isRight =
    viewer?.name === person.name && cookie.startsWith(`__Host-caseway=${sessionToken};`);
  return {
    session: isRight ? createSession(sessionToken) : undefined,
    endsAtMs: Date.parse(expiresAt),
    problems: [
      ...checkAnyAnswer(answer, person, []),
      ...(isRight ? [] : [`${person.name} cannot sign in: ${answer.text}`]),
    ],
  };
}

export const signIn = (client: Client, caller: Caller) =>
  signInWith(client, caller, caller.person.password);

/** Signs in with a guessed password, and returns the problems. */
export async function guessPassword(client: Client, { person }: Caller): Promise<string[]> {
  const input = { username: person.name, password: 'guessed' };
  // Each attempt comes from a new address: the gateway blocks an address after a few refusals.
  const headers = { 'x-forwarded-for': `198.18.${randomInt(256)}.${randomInt(256)}` };
  const answer = await client.send({ text: SIGN_IN, variables: { input }, headers });
  const isRefused =
    answer.body.data?.it === null &&
    answer.body.errors?.[0]?.extensions?.code === 'UNAUTHENTICATED';
  const isOut = isRefused && cookiesOf(answer).length === 0;
  return [
    ...checkAnyAnswer(answer, person, []),
    ...(isOut ? [] : [`a guessed password was accepted: ${answer.text}`]),
  ];
}

export async function signOut(
  client: Client,
  { person }: Caller,
  headers: Record<string, string>,
): Promise<string[]> {
  const answer = await client.send({
    text: 'mutation { it: signOut { viewer { name } } }',
    headers,
  });
  const isOut = isDeepStrictEqual(answer.body, { data: { it: { viewer: null } } });
  return [
    ...checkAnyAnswer(answer, person, []),
    ...(isOut ? [] : [`${person.name} cannot sign out: ${answer.text}`]),
  ];
}

/** Signs in to a session that expires almost at once, and uses it after its expiry. */
export async function expire(client: Client, caller: Caller, formId: string): Promise<string[]> {
  const { session, endsAtMs, problems } = await signInWith(
    client,
    caller,
    `${caller.person.password}${BRIEFLY}`,
  );
  // A token that expired before the gateway read it has no expiry.
  if (session === undefined || endsAtMs > Date.now() + 5_000) return [...problems];
  while (Date.now() <= endsAtMs)
    await new Promise((resolve) => setTimeout(resolve, endsAtMs - Date.now() + 1));
  const answer = await client.send({
    text: 'query ($form: ID!) { viewer { name } form(formId: $form) { name } }',
    variables: { form: formId },
    headers: { authorization: `Bearer ${session.secret}` },
  });
  const isOver = isDeepStrictEqual(answer.body.data, { viewer: null, form: null });
  const isSaid = answer.body.errors?.[0]?.extensions?.code === 'UNAUTHENTICATED';
  return [
    ...problems,
    ...checkAnyAnswer(answer, caller.person, []),
    ...(isOver && isSaid ? [] : [`a session is valid after its expiry: ${answer.text}`]),
  ];
}

const cookiesOf = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat();
