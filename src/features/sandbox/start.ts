import { listenAt } from '../../http/listen.ts';
import { UsageError } from '../command.ts';
import type { Gateway } from '../feature.ts';
import type { SandboxSettings } from './settings.ts';

const PACKAGES_MISSING =
  'The sandbox’s packages feelin and yaml are not installed: run "npm install" without --omit=optional, build the image’s target "sandbox", or set UPSTREAM_URL.';

/**
 * Starts the embedded platform. Returns its users and the interface's `{base_url}`.
 *
 * @throws {UsageError} naming every problem of the definitions, or a file that cannot be used.
 */
export async function startSandbox(
  settings: SandboxSettings,
  defer: Gateway['defer'],
  onError: (cause: string) => void,
) {
  const sandbox = await openSandbox(settings, onError);
  defer(sandbox.close);
  const url = await listenAt('PORT', '127.0.0.1', (host) =>
    sandbox.listen({ port: settings.port, host }),
  );
  return { users: sandbox.users, url };
}

/**
 * Opens the embedded platform. It does not listen yet.
 *
 * @throws {UsageError} naming every problem of the definitions, or a file that cannot be used.
 */
export async function openSandbox(
  { file, definitions }: Pick<SandboxSettings, 'file' | 'definitions'>,
  onError: (cause: string) => void = () => undefined,
) {
  const { createSandbox, DefinitionError } = await importSandbox();
  try {
    return createSandbox({
      file,
      // The sandbox's overall limit is off. Single users have their own limits, such as the sample
      // user `hasty`.
      requestLimit: 0,
      onError: (operation, cause) =>
        onError(`${operation}: ${'errstr' in cause ? cause.errstr : cause.name}`),
      ...(definitions !== undefined && { definitions }),
    });
  } catch (error) {
    if (error instanceof DefinitionError || isFileUnusable(error))
      throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** The codes of Node and SQLite for a file that no later attempt can use. */
const UNUSABLE: ReadonlySet<unknown> = new Set([
  'EACCES',
  'ENOENT',
  'ENOTDIR',
  'EROFS',
  // SQLITE_READONLY, SQLITE_CANTOPEN and SQLITE_NOTADB.
  8,
  14,
  26,
]);

function isFileUnusable(error: unknown): error is Error {
  if (!(error instanceof Error && error.cause instanceof Error)) return false;
  const { code, errcode } = error.cause as Error & Readonly<Record<'code' | 'errcode', unknown>>;
  return UNUSABLE.has(errcode ?? code);
}

/**
 * Imports the sandbox. Its packages are optional, and the image does not contain them.
 *
 * @throws {Error} if they are not installed.
 */
export async function importSandbox() {
  try {
    return await import('../../../sandbox/index.ts');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(PACKAGES_MISSING, { cause });
  }
}
