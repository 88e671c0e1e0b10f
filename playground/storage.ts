const NAMESPACE = 'caseway:';

// Shares of the panes, which GraphiQL has no property for: the panel on the left takes a fifth of the width, a query a
// little more of the rest than its answer, and four times the height of its variables.
const DEFAULTS: Readonly<Record<string, string>> = {
  'graphiql:docExplorerFlex': '0.25',
  'graphiql:editorFlex': '1.2',
  'graphiql:secondaryEditorFlex': '4',
};

/** What may hold credentials. Headers, keys and the sign-in form never get here; a `signIn` typed as a query would. */
const MAY_HOLD_SECRETS = /signIn|password|authorization|api-?key/i;

/**
 * `localStorage` under a name of our own, since another GraphiQL on the same host and port (4000 is a common one) would
 * leave us its tabs. The history leaves out requests that may hold credentials, and any other value with some is not
 * stored: what was stored before stays. Where a browser refuses to store, nothing is kept and all else works.
 */
export const storage = {
  getItem: (key: string): string | null =>
    attempt(() => localStorage.getItem(NAMESPACE + key)) ?? DEFAULTS[key] ?? null,
  setItem(key: string, value: string): void {
    const kept = MAY_HOLD_SECRETS.test(value) ? attempt(() => withoutSecrets(value)) : value;
    if (kept !== undefined) attempt(() => localStorage.setItem(NAMESPACE + key, kept));
  },
  removeItem: (key: string): void => attempt(() => localStorage.removeItem(NAMESPACE + key)),
  clear(): void {
    for (const key of ownKeys()) attempt(() => localStorage.removeItem(key));
  },
  get length(): number {
    return ownKeys().length;
  },
};

/** A history without what may hold credentials; `undefined` for any other value. */
function withoutSecrets(value: string): string | undefined {
  const { queries } = JSON.parse(value) as { queries?: readonly unknown[] };
  return queries && JSON.stringify({ queries: queries.filter((item) => !MAY_HOLD_SECRETS.test(JSON.stringify(item))) });
}

function ownKeys(): readonly string[] {
  return (attempt(() => Object.keys(localStorage)) ?? []).filter((key) => key.startsWith(NAMESPACE));
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
