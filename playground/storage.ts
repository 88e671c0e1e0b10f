const NAMESPACE = 'caseway:';

// Shares of the panes, which the explorer has no property for: the panel on the left takes a fifth of the width, a
// query a little more of the rest than its answer, and four times the height of its variables.
const DEFAULTS: Readonly<Record<string, string>> = {
  'graphiql:docExplorerFlex': '0.25',
  'graphiql:editorFlex': '1.2',
  'graphiql:secondaryEditorFlex': '4',
};

/**
 * `localStorage` under a name of our own, since another explorer on the same host and port (4000 is a common one)
 * would leave us its tabs. Where a browser refuses to store, nothing is kept and all else works.
 */
export const storage = {
  getItem: (key: string): string | null =>
    tolerantly(() => localStorage.getItem(NAMESPACE + key)) ?? DEFAULTS[key] ?? null,
  setItem: (key: string, value: string): void => tolerantly(() => localStorage.setItem(NAMESPACE + key, value)),
  removeItem: (key: string): void => tolerantly(() => localStorage.removeItem(NAMESPACE + key)),
  clear: (): void => {
    for (const key of ownKeys()) tolerantly(() => localStorage.removeItem(key));
  },
  get length(): number {
    return ownKeys().length;
  },
};

function ownKeys(): readonly string[] {
  return (tolerantly(() => Object.keys(localStorage)) ?? []).filter((key) => key.startsWith(NAMESPACE));
}

function tolerantly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
