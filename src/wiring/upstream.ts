import { Pool } from 'undici';

import { createExchanger } from '../upstream/exchange.ts';
import { createUpstream, type Upstream } from '../upstream/index.ts';
import { createTokenSource } from '../upstream/token-source.ts';
import { createVariantA, createVariantB } from '../upstream/variant.ts';
import type { Closers } from './closers.ts';
import type { Configuration } from './configuration.ts';
import type { Platform } from './platform.ts';

/** Opens the way to a platform, and to its token issuer where that stands elsewhere. */
export function openUpstream(platform: Platform, configuration: Configuration, closers: Closers): Upstream {
  const { settings, dialect } = configuration;
  const { credentials } = platform;

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

  const exchange = exchangerFor(platform.url);
  const issuer = issuerAt(settings.UPSTREAM_TOKEN_URL, exchangerFor) ?? { exchange, tokenPath: '/v1.0/token' };
  const options = { ...issuer, dialect };
  const variant =
    credentials.variant === 'A' ? createVariantA(credentials.body, options) : createVariantB(credentials, options);
  const tokens = createTokenSource({ issue: variant.issue });
  return createUpstream({ exchange, headers: variant.headers, tokens, dialect });
}

function issuerAt(address: string | undefined, exchangerFor: (baseUrl: string) => ReturnType<typeof createExchanger>) {
  if (address === undefined) return undefined;
  const { origin, pathname, search } = new URL(address);
  return { exchange: exchangerFor(origin), tokenPath: pathname + search };
}
