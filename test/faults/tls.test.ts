import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { writeDialect } from '../support/write-dialect.ts';
import { type Authority, makeAuthority } from './support/certificates.ts';
import { codeOf, startFaultyGateway } from './support/faulty-gateway.ts';
import { answerWell } from './support/faulty-platform.ts';

const RULE = '{ rule(component: "bad", version: "1") { name } }';

/** A platform behind TLS with one rule, and its gateway. */
async function startBehind(options: ServerOptions, authority: Authority | undefined) {
  const state = { connections: 0, requests: 0 };
  const server = createServer(options, (request, response) => {
    state.requests++;
    const isToken = request.url?.endsWith('/token') === true;
    const body = isToken ? { access_token: 'token', expires_in: 60 } : { name: 'a rule', parameters: [] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.on('connection', () => state.connections++);
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  if (authority) trust(authority);
  // A working issuer without TLS issues the tokens, so that the platform is called.
  const issuer = await startFaultyGateway(answerWell);
  const { execute } = await startFaultyGateway(answerWell, {
    UPSTREAM_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    UPSTREAM_DIALECT: writeDialect({ token: { url: `${issuer.url}/v1.0/token` } }),
    UPSTREAM_TIMEOUT_MS: '9000',
  });
  return { execute, state };
}

/** Lets the process trust an authority until the test ends, as NODE_EXTRA_CA_CERTS does from its start. */
function trust({ file }: Authority): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(file, 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(before));
}

describe('a platform behind TLS', () => {
  it('is called when a trusted CA signed its certificate', async () => {
    const authority = makeAuthority();
    const { execute, state } = await startBehind(authority.vouch('127.0.0.1'), authority);

    expect(codeOf(await execute(RULE))).toBeUndefined();
    expect(state.requests).toBe(1);
  });

  const DOUBTS: readonly [why: string, doubt: (authority: Authority) => [ServerOptions, Authority | undefined]][] = [
    ['no trusted CA signed its certificate', (authority) => [authority.vouch('127.0.0.1'), undefined]],
    ['another CA signed its certificate', (authority) => [makeAuthority().vouch('127.0.0.1'), authority]],
    ['its certificate has expired', (authority) => [authority.vouch('127.0.0.1', -1), authority]],
    ['its certificate is for another host', (authority) => [authority.vouch('127.0.0.2'), authority]],
    [
      'it speaks an old protocol',
      (authority) => [
        { ...authority.vouch('127.0.0.1'), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
        authority,
      ],
    ],
  ];

  it.each(DOUBTS)('is not trusted and gets no request when %s, whatever the environment says', async (_why, doubt) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const [options, authority] = doubt(makeAuthority());
    const { execute, state } = await startBehind(options, authority);

    const answer = await execute(RULE);

    expect(codeOf(answer)).toBe('UPSTREAM_UNAVAILABLE');
    expect(state).toEqual({ connections: 1, requests: 0 });
  });
});
