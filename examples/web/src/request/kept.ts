import { useState } from 'react';

/** A state that a page which is loaded again has still, for as long as its tab is open. */
export function useKept<T>(name: string): [T | undefined, (value: T | undefined) => void] {
  const [value, setValue] = useState<T | undefined>(
    () => JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined,
  );
  const keep = (next: T | undefined) => {
    if (next === undefined) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(next));
    setValue(next);
  };
  return [value, keep];
}

/** Forgets what the tab keeps of anybody else. */
export function claimTab(name: string): void {
  if (sessionStorage.getItem(OWNER) !== name) sessionStorage.clear();
  sessionStorage.setItem(OWNER, name);
}

const OWNER = 'whose tab this is';
