import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { createAccess } from './http/access.ts';
import type { Platform } from './http/operation.ts';
import { type AnsweredCall, createServer, type Fault } from './http/server.ts';
import { type Definitions, loadDefinitions } from './load-definitions.ts';
import { caseOperations } from './resources/cases.ts';
import { formOperations } from './resources/forms.ts';
import { instanceOperations, seedForms } from './resources/instances.ts';
import { ruleOperations } from './resources/rules.ts';
import { createTokens, type Tokens, tokenOperations } from './resources/tokens.ts';
import { openDatabase } from './storage/database.ts';
import { recordDefinitions } from './storage/definition-changes.ts';

export type { AnsweredCall, Fault } from './http/server.ts';
export {
  DefinitionError,
  type Definitions,
  loadDefinitions,
  replaceRecords,
} from './load-definitions.ts';

export interface SandboxOptions {
  /** The SQLite file with all data, or `:memory:`. A missing folder is created. */
  readonly file: string;
  /**
   * The folder of YAML definitions, or definitions that are loaded already. Default: the samples,
   * about procurement.
   */
  readonly definitions?: string | Definitions;
  /** Requests per minute and user, getToken included. Default 6000. 0 means no limit. */
  readonly requestLimit?: number;
  /** The lifetime of a token in milliseconds. Default one hour. */
  readonly tokenLifetimeMs?: number;
  /** Returns the present time in epoch milliseconds. */
  readonly now?: () => number;
  /** Called before a request runs. Returns the failure to simulate, or `undefined`. */
  readonly faultOf?: (operation: string) => Fault | undefined;
  /** Called for every request before its response is sent. */
  readonly onAnswer?: (call: AnsweredCall) => void;
  /** Called with the cause of each 500, which the response does not show. */
  readonly onError?: (operation: string, cause: Error) => void;
}

export interface Sandbox {
  /**
   * Starts to listen and resolves to the origin, the interface's `{base_url}`. Port 0 picks a free
   * port.
   */
  listen(at: { readonly port: number; readonly host: string }): Promise<string>;
  /** Stops listening, ends all connections and closes the file. */
  close(): Promise<void>;
  /** The users of the definitions, to show how to sign in. */
  readonly users: readonly {
    readonly username: string;
    readonly password: string;
    readonly about: string;
  }[];
  /** The names of the operations. */
  readonly operations: readonly OperationName[];
}

export const SAMPLE_DEFINITIONS = join(import.meta.dirname, 'definitions');
const REQUESTS_PER_MINUTE = 6_000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Creates the forms, cases and rules platform of the interface: real HTTP, stored in SQLite.
 *
 * @throws {DefinitionError} with the file and line of every problem of the definitions.
 * @throws {Error} when the file cannot be used.
 */
export function createSandbox({
  file,
  definitions: source = SAMPLE_DEFINITIONS,
  requestLimit = REQUESTS_PER_MINUTE,
  tokenLifetimeMs: lifetimeMs = HOUR_MS,
  now = Date.now,
  faultOf,
  onAnswer,
  onError,
}: SandboxOptions): Sandbox {
  const definitions = typeof source === 'string' ? loadDefinitions(source) : source;
  const { users } = definitions;
  const database = openDatabase(file);
  const changes = recordDefinitions(database, definitions, now);
  const platform = { database, definitions, changes, now };
  seedForms(platform);
  const tokens = createTokens(platform);
  const operations = createOperations(platform, tokens, lifetimeMs);
  const access = createAccess({ users, tokens, requestLimit, now });
  const server = createServer({ operations, access, now, faultOf, onAnswer, onError });
  server.addHook('onClose', async () => database.close());

  return {
    listen: async (at) => {
      await server.listen(at);
      return originOf(server.server.address(), at.host);
    },
    close: async () => server.close(),
    operations: Object.keys(operations) as OperationName[],
    users: [...users.values()].map(({ username, password, about }) => ({
      username,
      password,
      about,
    })),
  };
}

const createOperations = (platform: Platform, tokens: Tokens, lifetimeMs: number) => ({
  ...tokenOperations(platform, tokens, lifetimeMs),
  ...formOperations(platform),
  ...instanceOperations(platform),
  ...caseOperations(platform),
  ...ruleOperations(platform),
});

/** The interface's names of the operations, misspelled as there. */
export type OperationName = keyof ReturnType<typeof createOperations>;

/** Returns the origin to call. A host that stands for every address becomes loopback. */
function originOf(address: AddressInfo | string | null, host: string): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const authority = name.includes(':') ? `[${name}]` : name;
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${authority}:${port}`;
}
