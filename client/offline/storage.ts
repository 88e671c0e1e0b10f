import type { OfflineStorage, QueuedChange } from './change.ts';

/** Creates a storage that ends with the process, for tests. */
export function createMemoryStorage(): OfflineStorage {
  const changes = new Map<string, QueuedChange>();
  return {
    read: async () => [...changes.values()],
    async save(changed, removedIds) {
      for (const change of changed) changes.set(change.id, change);
      for (const id of removedIds) changes.delete(id);
    },
  };
}

/**
 * Creates a storage in a browser's IndexedDB. All tabs of the origin share it.
 *
 * @param name the name of the database, with the user's name in it.
 */
export function createIndexedDbStorage(name: string): OfflineStorage {
  async function run<Result>(
    mode: 'readonly' | 'readwrite',
    act: (store: Store) => Result,
  ): Promise<Result> {
    // A browser may close an idle database, so it is opened each time.
    const database = await openDatabase(name);
    const transaction = database.transaction('changes', mode, { durability: 'strict' });
    // The database closes after its transactions.
    database.close();
    const result = act(transaction.objectStore('changes'));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(result);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  // Pages without HTTPS have no locks.
  const { locks } = navigator as { readonly locks?: Locks };
  return {
    read: async () => (await run('readonly', (store) => store.getAll())).result,
    save: (changed, removedIds) =>
      run('readwrite', (store) => {
        for (const change of changed) store.put(change);
        for (const id of removedIds) store.delete(id);
      }),
    exclusive: locks && ((act) => locks.request(`caseway-queue:${name}`, act)),
  };
}

/** Creates a function that runs functions one after the other. */
export function createTurns(): <Result>(run: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const result = last.then(run, run);
    last = result;
    return result;
  };
}

function openDatabase(name: string): Promise<Database> {
  const { indexedDB } = globalThis as unknown as {
    readonly indexedDB: { open(name: string, version: number): OpenRequest };
  };
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('changes', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The parts of the DOM's types that are used, because Node and React Native lack them. */
interface OpenRequest {
  readonly result: Database;
  readonly error: unknown;
  onupgradeneeded: (() => void) | null;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

interface Database {
  createObjectStore(name: string, options: object): unknown;
  transaction(store: string, mode: string, options?: object): Transaction;
  close(): void;
}

interface Transaction {
  readonly error: unknown;
  objectStore(name: string): Store;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}

interface Store {
  getAll(): { readonly result: readonly QueuedChange[] };
  put(change: QueuedChange): unknown;
  delete(id: string): unknown;
}

interface Locks {
  request<Result>(name: string, run: () => Promise<Result>): Promise<Result>;
}
