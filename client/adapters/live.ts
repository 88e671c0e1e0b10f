import { type DependencyList, useEffect, useState, useSyncExternalStore } from 'react';

/**
 * The connection of a live list.
 * - `connecting`: the first result has not arrived.
 * - `live`: each change arrives.
 * - `stale`: the platform does not respond to the gateway.
 * - `reconnecting`: the stream was lost, and is opened again.
 * - `paused`: the page is hidden, or the application has paused it.
 * - `ended`: the gateway has closed the stream.
 * - `off`: the gateway has refused it, for example because live queries are turned off.
 */
export type LiveConnection =
  | 'connecting'
  | 'live'
  | 'stale'
  | 'reconnecting'
  | 'paused'
  | 'ended'
  | 'off';

/** A live list for a screen. */
export interface LiveList<Data> {
  readonly connection: LiveConnection;
  /**
   * Since when the list may be out of date, in epoch milliseconds. `undefined` while it is live, and
   * before the first result.
   */
  readonly staleSinceMs: number | undefined;
  /** The data of the last result that had some. */
  readonly data: Data | undefined;
  /** The errors of the last result, or of a refusal. */
  readonly error: unknown;
}

/** A result of a subscription. */
interface LiveResult<Data> {
  readonly data?: Data | null | undefined;
  readonly error?: unknown;
  readonly extensions?: unknown;
}

/** Receives the results of a stream. */
export interface LiveObserver<Data> {
  next(result: LiveResult<Data>): void;
  /** The stream has ended. */
  complete(error?: unknown): void;
  reconnecting(): void;
}

/**
 * Opens a stream while the component is mounted and the page is visible. Nothing is missed
 * meanwhile, because the first result of a stream is the present state.
 *
 * @param open opens the stream and returns a function that closes it.
 * @param isPaused whether the stream stays closed.
 * @param variables the variables of the list. Other variables are another list.
 * @param sources the other values that `open` reads.
 */
export function useLive<Data>(
  open: (observer: LiveObserver<Data>) => () => void,
  isPaused: boolean,
  variables: unknown,
  sources: DependencyList,
): LiveList<Data> {
  const key = JSON.stringify(variables);
  const [shown, setShown] = useState<Shown<Data>>({ key, list: EMPTY });
  const isHidden = useSyncExternalStore(onVisibilityChange, readIsHidden, () => false);
  const isOpen = !isPaused && !isHidden;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `sources` and `key` stand for `open`.
  useEffect(() => {
    const update = (change: (last: LiveList<Data>) => Partial<LiveList<Data>>) =>
      setShown((last) => {
        const list = last.key === key ? last.list : EMPTY;
        return { key, list: { ...list, ...change(list) } };
      });
    /** Shows that changes no longer arrive. */
    const leave = (connection: keyof typeof BEFORE_DATA, error?: unknown) =>
      update((last) => ({
        connection: last.data ? connection : BEFORE_DATA[connection],
        staleSinceMs: last.connection === 'live' ? Date.now() : last.staleSinceMs,
        error: error ?? last.error,
      }));

    if (!isOpen) return leave('paused');
    update(() => ({ connection: 'connecting' }));
    return open({
      next({ data, error, extensions }) {
        const staleSinceMs = readStaleSinceMs(extensions);
        const connection = staleSinceMs === undefined ? 'live' : 'stale';
        update((last) => {
          const shown = selectData({ data, error }) ?? last.data;
          const isOpen = shown !== undefined;
          return {
            connection: isOpen ? connection : last.connection,
            staleSinceMs,
            data: shown,
            error,
          };
        });
      },
      complete: (error) => leave('ended', error),
      reconnecting: () => leave('reconnecting'),
    });
  }, [isOpen, key, ...sources]);

  return shown.key === key ? shown.list : EMPTY;
}

interface Shown<Data> {
  /** The variables as text. */
  readonly key: string;
  readonly list: LiveList<Data>;
}

/** The connection of a list without data, by the connection of a list with data. */
const BEFORE_DATA = { paused: 'connecting', reconnecting: 'reconnecting', ended: 'off' } as const;

const EMPTY = {
  connection: 'connecting',
  staleSinceMs: undefined,
  data: undefined,
  error: undefined,
} as const;

/**
 * Returns the data of a result, unless it failed as a whole: `null` would replace the shown data.
 */
export function selectData<Data>({ data, error }: LiveResult<Data>): Data | undefined {
  const hasFailed = error && Object.values(data ?? {}).every((value) => value === null);
  return hasFailed ? undefined : (data ?? undefined);
}

/** Reads since when a result may be out of date. See docs/live.md of the gateway. */
function readStaleSinceMs(extensions: unknown): number | undefined {
  const { stale } = (extensions ?? {}) as {
    readonly stale?: readonly { readonly ageMs: number }[];
  };
  return stale && Date.now() - Math.max(...stale.map(({ ageMs }) => ageMs));
}

// React Native has no `document`. There the application pauses the list itself.
const readIsHidden = (): boolean => globalThis.document?.visibilityState === 'hidden';

function onVisibilityChange(onChange: () => void): () => void {
  globalThis.document?.addEventListener('visibilitychange', onChange);
  return () => globalThis.document?.removeEventListener('visibilitychange', onChange);
}
