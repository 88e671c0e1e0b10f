import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';

/** The part of the address after `#`: a path and its search parameters. */
export interface Route {
  readonly path: string;
  readonly params: URLSearchParams;
}

/** Returns the current route. A real application uses a router instead. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [path, search] = hash.slice(1).split('?');
  return { path: path || '/', params: new URLSearchParams(search) };
}

/** Returns the address of a route. Parameters without a value are left out. */
export function hrefOf(
  path: string,
  params: Readonly<Record<string, string | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value) search.set(name, value);
  }
  return search.size === 0 ? `#${path}` : `#${path}?${search}`;
}

/** Shows each new route from its top, and an earlier one at the user's last position. */
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
