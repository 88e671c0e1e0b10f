import { useSyncExternalStore } from 'react';

/** Where the person is: a path, and what they have chosen there. Both stand in the address, so that it can be shared. */
export interface Place {
  readonly path: string;
  readonly choices: URLSearchParams;
}

/** Gives the place that the address says, now and whenever it changes. */
export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const { pathname, searchParams } = new URL(hash.slice(1) || '/', location.origin);
  return { path: pathname, choices: searchParams };
}

/** Gives the address of a place. Choices that are empty are left out. */
export function addressOf(path: string, choices: Readonly<Record<string, string | undefined>> = {}): string {
  const chosen = Object.entries(choices).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return chosen.length === 0 ? `#${path}` : `#${path}?${new URLSearchParams(chosen)}`;
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}
