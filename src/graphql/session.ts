/** Who asks. */
export interface Viewer {
  readonly name: string;
  /** `undefined` where the session does not tell. */
  readonly since?: Date | undefined;
  /** When the session ends; `undefined` when no end is known. */
  readonly until?: Date | undefined;
}

/** A user name and its password, on their way to the platform. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What signing in gives. */
export interface SignedIn {
  readonly viewer: Viewer;
  /** For callers that are no browser; a browser has a cookie instead. */
  readonly sessionToken: string | undefined;
  readonly expiresAt: Date;
}

/** What an operation may know and do about the session of its caller. */
export interface Session {
  /** `undefined` when nobody is signed in, or the gateway cannot know who. */
  readonly viewer: Viewer | undefined;
  /**
   * Signs in with the caller's own credentials at the platform.
   *
   * @throws {InputError} where callers do not sign in here, and for credentials that the platform refuses.
   */
  signIn(login: Login): Promise<SignedIn>;
  /** Ends the caller's session, if there is one. */
  signOut(): Promise<void>;
}
