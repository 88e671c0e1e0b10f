/** How the platform behaves until told otherwise. */
export interface Behaviour {
  /** `answer`: as it should. `fail`: 500. `reset`: the connection is cut. `hang`: nothing is ever said. */
  readonly mode: 'answer' | 'fail' | 'reset' | 'hang';
  /** How long an answer takes; tokens are given at once. */
  readonly delayMs: number;
}

/** One call that arrived. Times of day, so that processes can compare them. */
export interface ArrivedCall {
  readonly path: string;
  /** The id of the change that it asks for. */
  readonly mutation: string | undefined;
  readonly atMs: number;
}

/** What arrived since the last time that it was asked. */
export interface UpstreamCounts {
  /** All calls, those for tokens too. */
  readonly calls: number;
  /** How many of them were answered by 304. */
  readonly unchanged: number;
  readonly maxInFlight: number;
  /** Each call but those for tokens; only when it was told to list them. */
  readonly arrived: readonly ArrivedCall[];
}

export type Order = { readonly behave: Behaviour } | { readonly count: { readonly isListed: boolean } };

export type Word = { readonly port: number } | { readonly counts: UpstreamCounts };
