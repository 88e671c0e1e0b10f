import { createOfflineQueue, type OfflineQueue, type QueuedChange } from 'caseway/client/offline';

import { type Answer, answer } from './answers.ts';
import { createGateway, type Operation } from './gateway.ts';
import { createSqliteStorage } from './sqlite.ts';
import type { Store } from './store.ts';

interface Session {
  readonly name: string;
  /** A token that the gateway encrypted. A phone stores it in its keychain. */
  readonly token: string;
  readonly expiresAt: string;
}

/** The data of the signed-in person. Other people on the device cannot see or send it. */
export interface Person {
  /** The changes that the gateway has not confirmed. */
  readonly outbox: OfflineQueue;
  answer(operation: Operation): Promise<Answer>;
}

interface DeviceOptions {
  readonly url: string;
  readonly store: Store;
  /** Returns whether a failure of `fetch` means that the request was not sent. */
  readonly isUnsent: (error: unknown) => boolean;
  /** Returns the present time in epoch milliseconds. */
  readonly now: () => number;
}

const SESSION = 'session';
const KEY_LIFETIME = 'key-lifetime';
/** The gateway keeps a key for at least ten minutes. */
const KEY_LIFETIME_MS = 600_000;
/** The time that is reserved for the transfer. */
const TRANSFER_MS = 60_000;

/** Creates a device that one person uses at a time. */
export function createDevice({ url, store, isUnsent, now }: DeviceOptions) {
  const session = () => store.read<Session>(SESSION);
  const gateway = createGateway({
    url,
    token: () => session()?.token,
    onKeyLifetime: (keyLifetimeMs) => store.write(KEY_LIFETIME, keyLifetimeMs),
  });
  const storeOf = ({ name }: Session) => store.within(`${url} ${name}`);

  /** Returns whether a decision was made. An order cannot be found by its values. */
  async function wasMade({ variables }: QueuedChange): Promise<boolean | undefined> {
    const { instanceId, values } = variables as {
      readonly instanceId?: string;
      readonly values: { readonly status?: string };
    };
    if (instanceId === undefined) return undefined;
    const { data } = await gateway.query({ documentId: 'status', variables: { instanceId } });
    const { purchaseRequest } = data as { readonly purchaseRequest?: { readonly status: string } };
    return purchaseRequest?.status === values.status;
  }

  return {
    /** Signs in and stores the session, without the password. */
    async signIn(username: string, password: string): Promise<Session> {
      store.remove(SESSION);
      const data = await gateway.mutate({
        documentId: 'sign-in',
        variables: { username, password },
      });
      const { viewer, sessionToken, expiresAt } = (data as SignedIn).signIn;
      const opened = { name: viewer.name, token: sessionToken, expiresAt };
      store.write(SESSION, opened);
      return opened;
    },

    /**
     * Signs out and deletes the stored responses. Unsent changes are kept.
     *
     * @returns whether the gateway confirmed it. If not, the session ends there when it expires.
     */
    async signOut(): Promise<boolean> {
      const ended = session();
      if (ended) storeOf(ended).within('answers').clear();
      try {
        await gateway.mutate({ documentId: 'sign-out', variables: {} });
        return true;
      } catch {
        return false;
      } finally {
        store.remove(SESSION);
      }
    },

    /**
     * Returns the data of the signed-in person.
     *
     * @throws {Error} when no person is signed in.
     */
    person(): Person {
      const current = session();
      if (current === undefined)
        throw new Error('Nobody is signed in on this device: sign-in NAME.');
      const own = storeOf(current);
      return {
        outbox: createOfflineQueue({
          storage: createSqliteStorage(own.pathOf('outbox.sqlite')),
          send: (documentId, variables) => gateway.mutate({ documentId, variables }),
          isUnsent,
          wasMade,
          keyLifetimeMs: () => (store.read<number>(KEY_LIFETIME) ?? KEY_LIFETIME_MS) - TRANSFER_MS,
        }),
        answer: (operation) => answer(operation, gateway, own.within('answers'), now),
      };
    },
  };
}

/** The data of `documents/sign-in.graphql`. */
interface SignedIn {
  readonly signIn: {
    readonly viewer: { readonly name: string };
    readonly sessionToken: string;
    readonly expiresAt: string;
  };
}
