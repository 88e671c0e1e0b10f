import type { Person } from '../platform/people.ts';

/** A person's credential: a session, or the platform's token itself. */
export interface Session {
  /** The session token, or in `forward` the whole `Authorization` header. */
  readonly secret: string;
  /** `revoked`: the platform no longer accepts its token. The gateway may not have noticed. */
  state: 'live' | 'revoked' | 'ended';
  /** Whether it changes in this wave. Then both responses are right. */
  isChanging: boolean;
}

/** A person with their sessions, the newest first. */
export interface Caller {
  readonly person: Person;
  readonly sessions: Session[];
}

export const createSession = (secret: string): Session => ({
  secret,
  state: 'live',
  isChanging: false,
});

/** Returns the session of a command. `undefined` without one. */
export function sessionOf({ sessions }: Caller, index: number): Session | undefined {
  return sessions.length === 0 ? undefined : sessions[index % sessions.length];
}

export const cookieOf = ({ secret }: Session): string => `__Host-caseway=${secret}`;
