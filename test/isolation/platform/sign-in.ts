import type { IncomingHttpHeaders } from 'node:http';

import type { Accounts } from './accounts.ts';
import type { Request } from './answers.ts';

/** The interface's two ways to be authorized. */
export type Variant = 'A' | 'B';

/** A password that ends like this gets a token that expires almost at once. */
export const BRIEFLY = '.briefly';

const BRIEF_MS = 40;

/** Reads the credentials of a sign-in. */
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

/**
 * Writes a token in the form of the variant: in a header, where only a JWT has an expiry, or in the
 * body with its expiry.
 */
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
