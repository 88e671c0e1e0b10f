import { Pool } from 'undici';

import { createExchanger, type Exchanger } from '../upstream/exchange.ts';
import { createUpstream, type Upstream } from '../upstream/index.ts';
import type { TokenSource } from '../upstream/token-source.ts';
import { createVariantA, createVariantB, VARIANT_HEADERS, type Variant } from '../upstream/variant.ts';
import type { Closers } from './closers.ts';
import type { Configuration, Credentials } from './configuration.ts';

/** The ways to a platform, whoever goes them. */
export interface UpstreamDoor {
  /** The platform as the owner of these tokens sees it. */
  as(tokens: TokenSource): Upstream;
  /** How tokens are had with these credentials. */
  variant(credentials: Credentials): Variant;
}

/** Opens the ways to the platform at `url`, and to its token issuer where that stands elsewhere. */
export function openUpstream(url: string, { settings, dialect }: Configuration, closers: Closers): UpstreamDoor {
  const exchangerFor = (baseUrl: string) => {
    const dispatcher = new Pool(new URL(baseUrl).origin, {
      connections: settings.UPSTREAM_CONNECTIONS,
      connect: { timeout: settings.UPSTREAM_CONNECT_TIMEOUT_MS },
      allowH2: false,
    });
    closers.add(() => dispatcher.destroy());
    return createExchanger({
      dispatcher,
      baseUrl,
      timeoutMs: settings.UPSTREAM_TIMEOUT_MS,
      maxResponseBytes: settings.UPSTREAM_RESPONSE_MAX_BYTES,
      maxPending: settings.UPSTREAM_PENDING_MAX,
    });
  };

  const exchange = exchangerFor(url);
  const issuer = issuerAt(settings.UPSTREAM_TOKEN_URL, exchangerFor) ?? { exchange, tokenPath: '/v1.0/token' };
  const headers = VARIANT_HEADERS[settings.UPSTREAM_AUTH === 'credentials' ? 'A' : 'B'];
  return {
    as: (tokens) => createUpstream({ exchange, headers, tokens, dialect }),
    variant: (credentials) =>
      credentials.variant === 'A'
        ? createVariantA(credentials.body, { ...issuer, dialect })
        : createVariantB(credentials, { ...issuer, dialect }),
  };
}

function issuerAt(address: string | undefined, exchangerFor: (baseUrl: string) => Exchanger) {
  if (address === undefined) return undefined;
  const { origin, pathname, search } = new URL(address);
  return { exchange: exchangerFor(origin), tokenPath: pathname + search };
}
