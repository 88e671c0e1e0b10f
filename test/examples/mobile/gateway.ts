import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { startPlatform } from '../../identity/support.ts';
import { startGateway } from '../../support/gateway.ts';

const DOCUMENTS = join(import.meta.dirname, '../../../examples/mobile-offline/documents');

/** Starts a platform, and before it a gateway that knows the client's documents and no others. */
export async function startClientGateway() {
  const platform = await startPlatform();
  const env = {
    UPSTREAM_URL: platform.url,
    // Needed to read the definitions of the forms, from which the types in the documents are
    // generated.
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    TYPED_FORMS: '*',
    IDENTITY: 'user',
    SESSION_KEYS: randomBytes(32).toString('base64url'),
    DOCUMENTS,
    DOCUMENTS_MODE: 'enforce',
  };
  const { url, close } = await startGateway(env);
  return {
    url,
    /** The calls to the platform with the name of their user. */
    calls: platform.calls,
    stop: close,
    /** Starts it again at the same address. */
    startAgain: () => startGateway({ ...env, PORT: new URL(url).port }),
  };
}
