/** One edit of a file of `src/`. */
export interface Edit {
  readonly file: string;
  /** Must stand in the file, or the leak cannot be planted. */
  readonly find: string;
  readonly replace: string;
}

/** A mistake that somebody could make, planted into the process of a test. */
export interface Leak {
  /** In `user` unless said otherwise. */
  readonly mode?: 'user' | 'forward';
  /** B unless said otherwise. */
  readonly variant?: 'A' | 'B';
  /** Whether what replicas share has a part in it. */
  readonly isShared?: boolean;
  readonly edits: readonly Edit[];
  /** What the proof has to say about it. */
  readonly shows: RegExp;
}
