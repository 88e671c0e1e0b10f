/** An id of a resource, before the sequence puts its number into it. */
export interface ResourceKey {
  readonly form: string;
  readonly instance: string;
}

/** What a client does. */
export type Action =
  | ({
      readonly kind: 'form' | 'instance' | 'node' | 'formNode' | 'reference' | 'list' | 'own';
    } & ResourceKey)
  /** Subscribes, and stays until the sequence ends. */
  | ({ readonly kind: 'watch' | 'watchList' } & ResourceKey)
  | ({
      readonly kind: 'update' | 'replace' | 'create' | 'delete';
      readonly isKeyed: boolean;
    } & ResourceKey)
  | { readonly kind: 'many'; readonly keys: readonly ResourceKey[] }
  | { readonly kind: 'forms' | 'viewer' | 'startCase' }
  | { readonly kind: 'rule' | 'executeRule'; readonly component: string; readonly version: string }
  /** A new session, or in `forward` a new token. */
  | { readonly kind: 'signIn' }
  /** Signs in for a short session, and uses it after it has expired. */
  | { readonly kind: 'expire' }
  /** Signs in as the neighbour, with a password that is wrong. */
  | { readonly kind: 'guessPassword' }
  | { readonly kind: 'signOut' }
  /** The platform takes this person's tokens back. */
  | { readonly kind: 'revoke' };

/** One command: who does what, and how. Numbers wrap around. */
export interface Command {
  readonly who: number;
  /** Which of their sessions: 0 is the newest. */
  readonly session: number;
  readonly via: 'bearer' | 'cookie';
  /** Whether a neighbour's cookie comes along with a bearer. */
  readonly isStray: boolean;
  /** Whether the client disconnects as soon as the platform is called. */
  readonly isLeaving: boolean;
  /** Whether a neighbour does the same at the same moment. */
  readonly isEchoed: boolean;
  readonly action: Action;
}

/** Commands of the same moment. */
export interface Round {
  /** Whom the platform keeps waiting until everybody else has an answer. */
  readonly held: number | undefined;
  readonly commands: readonly Command[];
}

/** A random sequence: who takes part, what they may not see, and what they do. */
export interface Sequence {
  readonly names: readonly string[];
  readonly refusals: readonly {
    readonly who: number;
    readonly form: string;
    readonly status: 403 | 404;
  }[];
  readonly rounds: readonly Round[];
}
