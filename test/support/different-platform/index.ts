import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { scriptPlatform } from '../scripted-platform.ts';
import { writeDialect } from '../write-dialect.ts';
import type { Written } from './instances.ts';
import { createRouter } from './routes.ts';
import { type Authorization, createGate, PASSWORD, USERNAME } from './token.ts';
import { type Call, toReply } from './wire.ts';

export interface DifferentPlatformOptions {
  readonly variant?: Authorization;
  /** How values are written to it. */
  readonly written?: Written;
  /** Whether its search knows `oneOf`, its word for `in`. */
  readonly hasOneOf?: boolean;
  /** Whether it gives 50 rows where more are asked for, and never says that rows follow: it then has 70 forms and 120 vehicles. */
  readonly isCapped?: boolean;
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
 * Starts a platform with the interface's operations but those of cases, that shows in everything which the interface leaves
 * open another shape than the sandbox: lists, links, records, ids, search words, tokens and their address. It holds a fleet of
 * vehicles and drivers, in memory, on the loopback address, and ends with the test.
 */
export async function startDifferentPlatform(options: DifferentPlatformOptions = {}): Promise<DifferentPlatform> {
  const { variant = 'B', written = 'sequence', hasOneOf = true, isCapped = false } = options;
  const calls: Call[] = [];
  const gate = createGate(variant);
  const route = createRouter({ base: BASE, written, hasOneOf, isCapped });

  const answer = (call: Call) => {
    calls.push(call);
    try {
      if (call.method === 'POST' && call.path === TOKEN_PATH) return gate.issue(call);
      gate.check(call);
      return route(call);
    } catch (error) {
      return toReply(error);
    }
  };
  const { env, close } = await scriptPlatform(({ url: path, ...call }) => answer({ path, ...call }));
  const url = env.UPSTREAM_URL + BASE;
  const dialect = dialectFor({ written, hasOneOf, isCapped });

  return {
    url,
    calls,
    dialect,
    settings: {
      UPSTREAM_URL: url,
      UPSTREAM_AUTH: variant === 'A' ? 'credentials' : 'basic',
      UPSTREAM_USERNAME: USERNAME,
      UPSTREAM_PASSWORD: PASSWORD,
      UPSTREAM_DIALECT: writeDialect(dialect),
    },
    revokeTokens: gate.revoke,
    close: async () => close(),
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
    search: { ...search, operators: { ...search.operators, ...(hasOneOf ? {} : { IN: null }) } },
  };
}

interface Dialect {
  readonly [section: string]: object;
  readonly instance: object;
  readonly search: { readonly operators: object };
}
