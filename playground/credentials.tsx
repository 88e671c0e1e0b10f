import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';

import { type GraphqlRequest, type Headers, send } from './requests.ts';

/** The kind of credentials that the gateway is configured for. */
export type CredentialKind = 'none' | 'api-key' | 'token' | 'platform-token' | 'session';

/** A user of the sandbox. */
export interface SampleUser {
  readonly username: string;
  readonly password: string;
  readonly about: string;
}

/** How callers sign in, from the gateway. */
export interface SignInConfig {
  readonly credentials: CredentialKind;
  readonly users: readonly SampleUser[];
}

interface CredentialsProps extends SignInConfig {
  /** Headers of every request in every tab. */
  readonly headers: Headers;
  readonly onChange: (headers: Headers) => void;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/**
 * A button and its dialog for the caller's credentials and other headers, set once for all tabs.
 * They stay in the memory of this page and end with it. A session is in the browser's cookie, which
 * scripts cannot read.
 */
export function Credentials({
  credentials: kind,
  users,
  headers,
  onChange,
  isOpen,
  setOpen,
}: CredentialsProps) {
  const session = useSession(kind === 'session');
  const isSet = Object.keys(headers).length > 0 || session.name !== undefined;
  return (
    <>
      <button type="button" className="small-button" data-set={isSet} onClick={() => setOpen(true)}>
        {session.name ?? LABELS[kind]}
        {isSet && <span className="visually-hidden"> (set)</span>}
      </button>
      <Dialog
        title={kind === 'none' ? 'Headers' : 'Credentials and headers'}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        {kind === 'session' && (
          <SessionForm session={session} users={users} onSignedIn={() => setOpen(false)} />
        )}
        <HeadersForm
          kind={kind}
          onApply={(changed) => {
            onChange(changed);
            setOpen(false);
          }}
        />
      </Dialog>
    </>
  );
}

export const LABELS = {
  none: 'Headers',
  'api-key': 'API key',
  token: 'Access token',
  'platform-token': 'Access token',
  session: 'Sign in',
} as const satisfies Record<CredentialKind, string>;

interface CredentialField {
  readonly label: string;
  readonly toHeader: (value: string) => readonly [name: string, value: string];
}

const FIELDS: Readonly<Partial<Record<CredentialKind, CredentialField>>> = {
  'api-key': { label: 'API key', toHeader: (value) => ['x-api-key', value] },
  token: { label: 'Access token', toHeader: (value) => ['authorization', `Bearer ${value}`] },
  // Sent unchanged, because the platform decides whether it has a scheme.
  'platform-token': {
    label: 'The platform’s token, with its scheme if it has one',
    toHeader: (value) => ['authorization', value],
  },
};

interface HeadersFormProps {
  readonly kind: CredentialKind;
  readonly onApply: (headers: Headers) => void;
}

/** The dialog stays in the page while it is closed, so its fields keep their values. */
function HeadersForm({ kind, onApply }: HeadersFormProps) {
  const [problem, setProblem] = useState<string>();
  const field = FIELDS[kind];
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const credential = String(form.get('credential') ?? '').trim();
    const parsed = parseHeaders(String(form.get('headers') ?? ''));
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('problem' in parsed) return;
    const headers: Record<string, string> = { ...parsed.headers };
    if (field && credential !== '') {
      const [name, value] = field.toHeader(credential);
      headers[name] = value;
    }
    onApply(headers);
  };
  return (
    <form className="form" onSubmit={apply} onReset={() => onApply({})}>
      {field && (
        <label className="form-label">
          {field.label}
          <input
            className="field"
            name="credential"
            type="password"
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      )}
      <label className="form-label">
        {field || kind === 'session' ? 'Other headers' : 'Headers'}, one per line
        <textarea
          className="field form-headers"
          name="headers"
          rows={3}
          autoComplete="off"
          spellCheck={false}
          placeholder="name: value"
        />
      </label>
      <Problem text={problem} />
      <p className="form-note">
        For all tabs, until this page is closed or reloaded. Headers are not stored.
      </p>
      <div className="form-buttons">
        <button type="submit" className="small-button small-button-primary">
          Apply
        </button>
        <button type="reset" className="small-button">
          Clear
        </button>
      </div>
    </form>
  );
}

/** Parses `name: value` lines. Names become lower case, so that each name occurs once. */
function parseHeaders(text: string): { readonly headers: Headers } | { readonly problem: string } {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    try {
      new Headers([[name, value]]);
    } catch {
      return { problem: 'Write each header as name: value.' };
    }
    headers[name.toLowerCase()] = value;
  }
  return { headers };
}

/** The session in this browser's cookie. */
interface BrowserSession {
  /** The name of the signed-in user, or `undefined`. */
  readonly name: string | undefined;
  signIn(username: string, password: string): Promise<void>;
  signOut(): Promise<void>;
}

function useSession(isOn: boolean): BrowserSession {
  const [name, setName] = useState<string>();
  useEffect(() => {
    if (isOn)
      askViewer({ query: 'query Viewer { viewer { name } }' }, 'viewer').then(setName, () =>
        setName(undefined),
      );
  }, [isOn]);
  return {
    name,
    async signIn(username, password) {
      const query =
        'mutation SignIn($input: SignInInput!) { signIn(input: $input) { viewer { name } } }';
      setName(await askViewer({ query, variables: { input: { username, password } } }, 'signIn'));
    },
    async signOut() {
      setName(
        await askViewer({ query: 'mutation SignOut { signOut { viewer { name } } }' }, 'signOut'),
      );
    },
  };
}

/**
 * Sends a request and returns the name of the signed-in user.
 *
 * @throws {Error} with the gateway's message.
 */
async function askViewer(request: GraphqlRequest, field: string): Promise<string | undefined> {
  const { response } = await send(request);
  const [error] = response.errors ?? [];
  if (error) throw new Error(error.message);
  const data = response.data as Record<
    string,
    { name?: string; viewer?: { name: string } | null } | null
  > | null;
  const payload = data?.[field];
  return payload?.viewer?.name ?? payload?.name;
}

function SessionForm({
  session,
  users,
  onSignedIn,
}: {
  readonly session: BrowserSession;
  readonly users: readonly SampleUser[];
  readonly onSignedIn: () => void;
}) {
  const [problem, setProblem] = useState<string>();
  const show = (reason: unknown) =>
    setProblem(reason instanceof Error ? reason.message : String(reason));
  const signIn = (username: string, password: string) => {
    setProblem(undefined);
    session.signIn(username, password).then(onSignedIn, show);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const input = new FormData(form);
    // Clears the password from the page when it is sent.
    form.reset();
    signIn(String(input.get('username')), String(input.get('password')));
  };
  if (session.name !== undefined) {
    return (
      <div className="form">
        <p className="form-text">
          Signed in as <strong>{session.name}</strong>.
        </p>
        <div className="form-buttons">
          <button
            type="button"
            className="small-button"
            onClick={() => session.signOut().catch(show)}
          >
            Sign out
          </button>
        </div>
        <Problem text={problem} />
      </div>
    );
  }
  return (
    <form className="form" onSubmit={submit}>
      <label className="form-label">
        User name
        <input
          className="field"
          name="username"
          autoComplete="username"
          required
          ref={focusWithDialog}
        />
      </label>
      <label className="form-label">
        Password
        <input
          className="field"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
      </label>
      <Problem text={problem} />
      <div className="form-buttons">
        <button type="submit" className="small-button small-button-primary">
          Sign in
        </button>
      </div>
      {users.length > 0 && <p className="form-text">Or as a user of the sandbox:</p>}
      {users.map(({ username, password, about }) => (
        <button
          type="button"
          key={username}
          className="sample"
          onClick={() => signIn(username, password)}
        >
          <span className="sample-name">{username}</span>
          <span className="sample-operation">{about}</span>
        </button>
      ))}
    </form>
  );
}

/** Lets the dialog focus a field when it opens. On a touch screen this would open the keyboard. */
function focusWithDialog(field: HTMLInputElement | null): void {
  field?.toggleAttribute('autofocus', matchMedia('(pointer: fine)').matches);
}

const Problem = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p className="form-problem" role="alert">
      {text}
    </p>
  );

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Whether the dialog may be as wide as the page, for a table. */
  readonly isWide?: boolean;
}

/** The browser's modal dialog, which keeps the focus and closes with Escape. */
export function Dialog({ title, isOpen, onClose, isWide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-label={title}
      onClose={onClose}
    >
      <div className="dialog-head">
        <h2 className="dialog-title">{title}</h2>
        <button type="button" className="dialog-close" aria-label="Close" onClick={onClose}>
          <svg
            viewBox="0 0 14 14"
            stroke="currentColor"
            strokeWidth="1.6"
            strokeLinecap="round"
            aria-hidden="true"
          >
            <path d="M2 2l10 10M12 2L2 12" />
          </svg>
        </button>
      </div>
      {children}
    </dialog>
  );
}
