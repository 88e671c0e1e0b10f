import type { Folder } from './folder.ts';
import type { Gateway } from './gateway.ts';

/** Who is signed in on this device. */
export interface Session {
  readonly name: string;
  /** The session, sealed by the gateway: nobody else can read what it holds. */
  readonly token: string;
  readonly expiresAt: string;
}

const FILE = 'session.json';

interface SignedIn {
  readonly signIn: {
    readonly viewer: { readonly name: string };
    readonly sessionToken: string;
    readonly expiresAt: string;
  };
}

export const readSession = (folder: Folder): Session | undefined => folder.read(FILE);

/** Signs in, and keeps the session; the password is not kept. */
export async function signIn(
  login: { readonly username: string; readonly password: string },
  { gateway, folder }: { readonly gateway: Gateway; readonly folder: Folder },
): Promise<Session> {
  // Whoever was signed in before has no say in who signs in now.
  folder.remove(FILE);
  const { signIn: signedIn } = (await gateway.change({ documentId: 'sign-in', variables: login })) as SignedIn;
  const { viewer, sessionToken: token, expiresAt } = signedIn;
  const session = { name: viewer.name, token, expiresAt };
  folder.write(FILE, session);
  return session;
}

/**
 * Ends the session on this device, and at the gateway where that answers.
 *
 * @returns whether the gateway knows: if not, the session ends there by itself when its time has come.
 */
export async function signOut(gateway: Gateway, folder: Folder): Promise<boolean> {
  try {
    await gateway.change({ documentId: 'sign-out', variables: {} });
    return true;
  } catch {
    return false;
  } finally {
    folder.remove(FILE);
  }
}
