const NAMESPACE = 'caseway:';

// Sizes of the panes, which GraphiQL has no property for: the left panel takes a fifth of the
// width. The query is a little wider than the response, and four times as high as its variables.
const DEFAULTS: Readonly<Record<string, string>> = {
  'graphiql:docExplorerFlex': '0.25',
  'graphiql:editorFlex': '1.2',
  'graphiql:secondaryEditorFlex': '4',
};

/**
 * Matches text that may contain credentials. Headers, keys and the sign-in form are never stored,
 * but a user may type a `signIn` in the query editor.
 */
const MAY_CONTAIN_SECRETS = /signIn|password|authorization|api-?key/i;

/**
 * `localStorage` under a prefix, since another GraphiQL on the same origin (port 4000 is common)
 * would share its tabs.
 *
 * The history is stored without requests that may contain credentials. Any other value that may
 * contain them is not stored, and the stored value stays. If the browser denies storage, nothing is
 * stored and the page still works.
 */
export const storage = {
  getItem: (key: string): string | null =>
    attempt(() => localStorage.getItem(NAMESPACE + key)) ?? DEFAULTS[key] ?? null,
  setItem(key: string, value: string): void {
    const kept = MAY_CONTAIN_SECRETS.test(value) ? attempt(() => withoutSecrets(value)) : value;
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

/**
 * Returns a history without the requests that may contain credentials, or `undefined` for any other
 * value.
 */
function withoutSecrets(value: string): string | undefined {
  const { queries } = JSON.parse(value) as { queries?: readonly unknown[] };
  const kept = queries?.filter((item) => !MAY_CONTAIN_SECRETS.test(JSON.stringify(item)));
  return kept && JSON.stringify({ queries: kept });
}

function ownKeys(): readonly string[] {
  return (attempt(() => Object.keys(localStorage)) ?? []).filter((key) =>
    key.startsWith(NAMESPACE),
  );
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
