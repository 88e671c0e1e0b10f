/** An id of a resource, without the number of the sequence. */
export interface ResourceKey {
  readonly form: string;
  readonly instance: string;
}

/** The action of a client. */
export type Action =
  | ({
      readonly kind: 'form' | 'instance' | 'node' | 'formNode' | 'reference' | 'list' | 'own';
    } & ResourceKey)
  /** Subscribes until the sequence ends. */
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
  /** Signs in for a short session, and uses it after its expiry. */
  | { readonly kind: 'expire' }
  /** Signs in as a neighbour with a wrong password. */
  | { readonly kind: 'guessPassword' }
  | { readonly kind: 'signOut' }
  /** The platform revokes this person's tokens. */
  | { readonly kind: 'revoke' };

/** One action of one person. Numbers wrap around. */
export interface Command {
  readonly who: number;
  /** The index of the session. 0 is the newest. */
  readonly session: number;
  readonly via: 'bearer' | 'cookie';
  /** Whether a neighbour's cookie is sent beside a bearer token. */
  readonly isStray: boolean;
  /** Whether the client disconnects when the platform is called. */
  readonly isLeaving: boolean;
  /** Whether a neighbour does the same at the same time. */
  readonly isEchoed: boolean;
  readonly action: Action;
}

/** Commands of the same moment. */
export interface Round {
  /** The person whom the platform delays until all others have a response. */
  readonly held: number | undefined;
  readonly commands: readonly Command[];
}

/** A random sequence: the persons, the forms that they may not see, and their actions. */
export interface Sequence {
  readonly names: readonly string[];
  readonly refusals: readonly {
    readonly who: number;
    readonly form: string;
    readonly status: 403 | 404;
  }[];
  readonly rounds: readonly Round[];
}
