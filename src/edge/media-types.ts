/** What answers are typed as, by what their clients accept. */
export interface MediaTypes {
  /** `undefined` where it has not been told yet. */
  get(accept: string | undefined): string | undefined;
  /** Told what the server made of what a client accepts. */
  learn(accept: string | undefined, type: string | undefined): void;
}

/** Clients say it in few ways, and shortly; the ways that were learned first go first. */
const MAX_WAYS = 100;
const MAX_LENGTH = 300;

/** Remembers how the server negotiates, so that its answer need not be worked out again. */
export function createMediaTypes(): MediaTypes {
  const types = new Map<string, string>();
  return {
    get: (accept = '') => types.get(accept),
    learn(accept = '', type) {
      if (type === undefined || accept.length > MAX_LENGTH) return;
      types.set(accept, type);
      const [oldest = ''] = types.keys();
      if (types.size > MAX_WAYS) types.delete(oldest);
    },
  };
}
