import type { FastifyReply, FastifyRequest } from 'fastify';

/** The prefix binds the cookie to this host, to `/` and to a secure connection (browsers take loopback for one). */
const NAME = '__Host-caseway';
const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

export function readSessionCookie({ cookies }: FastifyRequest): string | undefined {
  return cookies[NAME];
}

export function setSessionCookie(reply: FastifyReply, sealed: string, lifetimeMs: number): void {
  reply.setCookie(NAME, sealed, { ...ATTRIBUTES, maxAge: Math.floor(lifetimeMs / 1_000) });
}

export function takeBackSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(NAME, ATTRIBUTES);
}
