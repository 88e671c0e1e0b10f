import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';

/** The address after `#`: a path and its search parameters. */
export interface Route {
  readonly path: string;
  readonly params: URLSearchParams;
}

/** The current route. A real application takes a router here. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [path, search] = hash.slice(1).split('?');
  return { path: path || '/', params: new URLSearchParams(search) };
}

/** The address of a route. Parameters without a value are left out. */
export function hrefOf(path: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? `#${path}` : `#${path}?${new URLSearchParams(given)}`;
}

/** Begins each route at its top, and one that was seen before where the user left it. */
export function useScrollPosition({ path, params }: Route): void {
  const positions = useRef(new Map<string, number>());
  const address = `${path}?${params}`;
  useLayoutEffect(() => {
    history.scrollRestoration = 'manual';
    scrollTo(0, positions.current.get(address) ?? 0);
    const remember = () => positions.current.set(address, scrollY);
    addEventListener('scroll', remember);
    return () => removeEventListener('scroll', remember);
  }, [address]);
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}
