import { type Answer, answer } from './answers.ts';
import { createGateway, type Operation } from './gateway.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { Store } from './store.ts';

interface Session {
  readonly name: string;
  /** Encrypted by the gateway; a phone keeps it in its keychain. */
  readonly token: string;
  readonly expiresAt: string;
}

/** What belongs to the person who is signed in: nobody else sees their answers or sends their changes. */
export interface Person {
  readonly outbox: Outbox;
  answer(operation: Operation): Promise<Answer>;
}

interface DeviceOptions {
  readonly url: string;
  readonly store: Store;
  /** Whether a failure of `fetch` says that nothing was sent. */
  readonly isUnsent: (error: unknown) => boolean;
  /** The clock, in epoch milliseconds. */
  readonly now: () => number;
}

const SESSION = 'session';

/** A device that one person at a time uses. */
export function createDevice({ url, store, isUnsent, now }: DeviceOptions) {
  const session = () => store.read<Session>(SESSION);
  const gateway = createGateway({ url, token: () => session()?.token, isUnsent });
  const storeOf = ({ name }: Session) => store.within(`${url} ${name}`);

  return {
    /** Signs in, and keeps the session; the password is not kept. */
    async signIn(username: string, password: string): Promise<Session> {
      store.remove(SESSION);
      const data = await gateway.mutate({ documentId: 'sign-in', variables: { username, password } });
      const { viewer, sessionToken, expiresAt } = (data as SignedIn).signIn;
      const opened = { name: viewer.name, token: sessionToken, expiresAt };
      store.write(SESSION, opened);
      return opened;
    },

    /**
     * Signs out and forgets all answers; what was not sent yet stays.
     *
     * @returns whether the gateway knows: if not, the session ends there when its time has come.
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

    /** @throws {Error} where nobody is signed in. */
    person(): Person {
      const current = session();
      if (current === undefined) throw new Error('Nobody is signed in on this device: sign-in NAME.');
      const own = storeOf(current);
      return {
        outbox: createOutbox(gateway, own, now),
        answer: (operation) => answer(operation, gateway, own.within('answers'), now),
      };
    },
  };
}

/** What `documents/sign-in.graphql` answers. */
interface SignedIn {
  readonly signIn: {
    readonly viewer: { readonly name: string };
    readonly sessionToken: string;
    readonly expiresAt: string;
  };
}
