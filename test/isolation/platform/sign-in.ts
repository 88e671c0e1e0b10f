import type { IncomingHttpHeaders } from 'node:http';

import type { Accounts } from './accounts.ts';
import type { Request } from './answers.ts';

/** The interface's two ways to be authorized. */
export type Variant = 'A' | 'B';

/** A password with this at its end gives a token that ends almost at once. */
export const BRIEFLY = '.briefly';

const BRIEF_MS = 40;

/** Reads what a sign-in came with. */
export function readCredentials(
  variant: Variant,
  request: Request,
  headers: IncomingHttpHeaders,
  accounts: Accounts,
) {
  const { name, password } =
    variant === 'A' ? inBody(request.body) : inBasic(headers.authorization);
  const isBrief = password.endsWith(BRIEFLY);
  const person = accounts.personBy({
    name,
    password: isBrief ? password.slice(0, -BRIEFLY.length) : password,
  });
  return { person, isBrief };
}

/** Writes a token as the variant does: in a header, where only a JWT can tell its end, or in the body beside its end. */
export function writeToken(variant: Variant, token: string, isBrief: boolean) {
  if (variant === 'A')
    return { answer: { status: 201 }, headers: { authorization: isBrief ? toJwt(token) : token } };
  const end = isBrief ? { expires_in: BRIEF_MS / 1_000 } : {};
  return { answer: { status: 200, body: { access_token: token, ...end } } };
}

function toJwt(token: string): string {
  const claims = { exp: (Date.now() + BRIEF_MS) / 1_000 };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${token}`;
}

function inBody(body: string) {
  const { username = '', password = '' } = JSON.parse(body) as Record<string, string>;
  return { name: username, password };
}

function inBasic(authorization = '') {
  const [name = '', password = ''] = Buffer.from(authorization.replace('Basic ', ''), 'base64')
    .toString()
    .split(':');
  return { name, password };
}
