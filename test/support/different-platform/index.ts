import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createRouter } from './routes.ts';
import { type Authorization, createGate, PASSWORD, USERNAME } from './token.ts';
import type { Written } from './values.ts';
import { type Call, readCall, sendReply, toReply } from './wire.ts';

export interface DifferentPlatformOptions {
  readonly variant?: Authorization;
  /** How values are written to it. */
  readonly written?: Written;
  /** Whether its search knows `oneOf`, its word for `in`. */
  readonly hasOneOf?: boolean;
  /** Whether it gives 50 rows where more are asked for, and never says that rows follow: it then has 70 forms and 120 vehicles. */
  readonly isCapped?: boolean;
  readonly tokenLifetimeMs?: number;
}

interface DifferentPlatform {
  /** Its `{base_url}`, which has a path of its own. */
  readonly url: string;
  /** Every call in the order of arrival, those for tokens included. */
  readonly calls: readonly Call[];
  /** What `UPSTREAM_DIALECT` must say. */
  readonly dialect: Readonly<Record<string, unknown>>;
  /** The settings of a gateway for it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Makes every token that it has issued invalid. */
  revokeTokens(): void;
  close(): Promise<void>;
}

const BASE = '/rest/api';
const TOKEN_PATH = '/auth/oauth';

/**
 * Starts a platform with the interface's 13 operations that shows in everything which the interface leaves open another
 * shape than the sandbox: lists, links, records, ids, search words, tokens and their address. It holds a fleet of
 * vehicles and drivers, in memory, on the loopback address.
 */
export async function startDifferentPlatform(options: DifferentPlatformOptions = {}): Promise<DifferentPlatform> {
  const { variant = 'B', written = 'sequence', hasOneOf = true, isCapped = false, tokenLifetimeMs = 600_000 } = options;
  const calls: Call[] = [];
  const gate = createGate(variant, tokenLifetimeMs);
  const route = createRouter({ base: BASE, written, hasOneOf, isCapped });

  const answer = (call: Call) => {
    if (call.method === 'POST' && call.path === TOKEN_PATH) return gate.issue(call);
    gate.check(call);
    return route(call);
  };
  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    try {
      sendReply(response, answer(call));
    } catch (error) {
      sendReply(response, toReply(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dialect = dialectFor({ written, hasOneOf, isCapped });
  const folder = mkdtempSync(join(tmpdir(), 'caseway-different-'));
  const dialectFile = join(folder, 'dialect.json');
  writeFileSync(dialectFile, JSON.stringify(dialect));

  return {
    url: origin + BASE,
    calls,
    dialect,
    settings: {
      UPSTREAM_URL: origin + BASE,
      UPSTREAM_AUTH: variant === 'A' ? 'credentials' : 'basic',
      UPSTREAM_USERNAME: USERNAME,
      UPSTREAM_PASSWORD: PASSWORD,
      UPSTREAM_DIALECT: dialectFile,
    },
    revokeTokens: gate.revoke,
    async close() {
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The dialect of `dialect.json`, with what the options change. */
function dialectFor({
  written,
  hasOneOf,
  isCapped,
}: Required<Pick<DifferentPlatformOptions, 'written' | 'hasOneOf' | 'isCapped'>>) {
  const dialect = JSON.parse(readFileSync(join(import.meta.dirname, 'dialect.json'), 'utf8')) as Dialect;
  const { search } = dialect;
  return {
    ...dialect,
    ...(isCapped && { list: {} }),
    instance: { ...dialect.instance, written },
    case: { ...dialect.case, written },
    search: { ...search, operators: { ...search.operators, ...(hasOneOf ? {} : { IN: null }) } },
  };
}

interface Dialect {
  readonly [section: string]: object;
  readonly instance: object;
  readonly case: object;
  readonly search: { readonly operators: object };
}
