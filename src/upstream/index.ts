import { type Cases, createCases } from './cases.ts';
import type { Dialect } from './dialect.ts';
import type { Exchanger } from './exchange.ts';
import { createForms, type Forms } from './forms.ts';
import { createInstances, type Instances } from './instances.ts';
import type { Patience } from './patience.ts';
import { createRules, type Rules } from './rules.ts';
import type { TokenSource } from './token-source.ts';
import { createTransport, type RepeatsAfterRefusal } from './transport.ts';
import type { Headers } from './variant.ts';

/** The REST interface, asked as one caller. */
export interface Upstream {
  readonly forms: Forms;
  readonly instances: Instances;
  readonly cases: Cases;
  readonly rules: Rules;
  readonly dialect: Dialect;
  /**
   * Resolves when a token can be had, from the held one where there is one.
   *
   * @throws {UpstreamError} when none can.
   */
  authenticate(): Promise<void>;
}

interface UpstreamOptions {
  /** Reaches `{base_url}`. */
  readonly exchange: Exchanger;
  readonly headers: Headers;
  /** The caller's own. */
  readonly tokens: TokenSource;
  readonly dialect: Dialect;
  readonly patience: Patience;
  /** What is sent again after a 401. */
  readonly repeats?: RepeatsAfterRefusal | undefined;
}

/** Makes the upstream as one caller sees it: all its calls share one token. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { tokens, dialect } = options;
  const transport = createTransport(options);
  return {
    forms: createForms(transport, dialect),
    instances: createInstances(transport, dialect),
    cases: createCases(transport, dialect),
    rules: createRules(transport, dialect),
    dialect,
    async authenticate() {
      await tokens.current();
    },
  };
}
