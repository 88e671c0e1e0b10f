import type { Person } from '../platform/people.ts';

/** How a person is known to the gateway: a session, or the platform's token itself. */
export interface Session {
  /** What goes after `Bearer`, or in `forward` the whole header. */
  readonly secret: string;
  /** `revoked`: the platform takes its token no more, which the gateway may not know yet. */
  state: 'live' | 'revoked' | 'ended';
  /** Whether it changes in this wave, so that either answer is right. */
  isChanging: boolean;
}

/** A person with their sessions, the newest first. */
export interface Caller {
  readonly person: Person;
  readonly sessions: Session[];
}

export const createSession = (secret: string): Session => ({ secret, state: 'live', isChanging: false });

/** Gives the session that a command means; `undefined` where there is none. */
export function sessionOf({ sessions }: Caller, index: number): Session | undefined {
  return sessions.length === 0 ? undefined : sessions[index % sessions.length];
}

export const cookieOf = ({ secret }: Session): string => `__Host-caseway=${secret}`;
