import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { startPlatform } from '../../identity/support.ts';
import { runMain } from '../../support/run.ts';

const DOCUMENTS = join(import.meta.dirname, '../../../examples/mobile-offline/documents');

/** Starts a platform, and before it a gateway as its own process that knows the client's documents and no others. */
export async function startGatewayProcess() {
  const platform = await startPlatform();
  const env = {
    UPSTREAM_URL: platform.url,
    // For the forms' definitions, of which the documents' types are made.
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD: 'demo',
    IDENTITY: 'user',
    SESSION_KEYS: randomBytes(32).toString('base64url'),
    DOCUMENTS,
    DOCUMENTS_MODE: 'enforce',
    LOG_LEVEL: 'silent',
  };
  const start = (port: string) => {
    const run = runMain(['start'], { ...env, PORT: port });
    return { run, url: run.printed(/GraphQL at (\S+)\/graphql/) };
  };

  let { run, url: started } = start('0');
  const url = await started;
  return {
    url,
    /** What the platform was asked, by whom. */
    calls: platform.calls,
    async stop() {
      run.stop();
      await run.ended;
    },
    /** Starts it again at the same address. */
    async startAgain() {
      ({ run, url: started } = start(new URL(url).port));
      await started;
    },
  };
}
