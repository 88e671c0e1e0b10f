import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

import { type Command, type CommandContext, UsageError } from '../../command.ts';
import { packageVersion } from '../../config/package.ts';
import { readDocuments } from '../../graphql/admission/documents.ts';
import { hashApiKey } from '../../http/auth/callers.ts';

/** `npm run -s mcp`: the tools of a gateway, for clients that start their servers as processes. */
export const mcpCommand: Command = {
  name: 'mcp',
  maxArgs: 100,
  options: { url: { type: 'string' } },
  summary: 'serves trusted documents as tools over standard input and output, for editors and assistants',
  usage: [
    'Usage: caseway mcp FILE…      documents or folders of them, as DOCUMENTS takes them',
    '       caseway mcp --url URL  the tools of a running gateway with MCP, such as http://localhost:4000',
    '',
    'Serves the Model Context Protocol over standard input and output. With files, it starts a gateway of its own before the',
    'platform that the settings name; without one, before a sandbox in memory. The environment variables CASEWAY_API_KEY or',
    'CASEWAY_TOKEN authenticate it to the gateway of --url.',
  ].join('\n'),

  async run(context) {
    const { args, options, env } = context;
    const { url: given } = options;
    if ((given === undefined) === (args.length === 0)) throw new UsageError('Name files, or --url; see --help.');
    const url = String(given).replace(/(\/mcp)?\/*$/, '');
    if (given !== undefined && !/^https?:/.test(url))
      throw new UsageError('--url must be an address, such as http://localhost:4000.');
    const key = env['CASEWAY_API_KEY'];
    const token = env['CASEWAY_TOKEN'];
    const authentication = { ...(key && { 'x-api-key': key }), ...(token && { authorization: `Bearer ${token}` }) };
    await using own = args.length > 0 ? await startOwn(context) : undefined;
    const remote = own ?? { url, headers: authentication };
    const { createBridge, serveStdio } = await import('./bridge.ts');
    // A file and /dev/null end, and are never closed.
    const ended = finished(process.stdin).catch(() => undefined);
    const server = serveStdio(() => createBridge(remote, packageVersion()));
    await Promise.race([context.stopped, ended]);
    await server.close();
  },
};

/** Starts a gateway for these files alone, which only this process can call. */
async function startOwn({ args, env, startGateway }: CommandContext) {
  const problems: string[] = [];
  const documents = args.flatMap((path) => readDocuments(path, problems));
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const folder = mkdtempSync(join(tmpdir(), 'caseway-mcp-'));
  const file = join(folder, 'documents.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(documents.map(({ place, text }) => [place, text]))));
  const key = randomBytes(32).toString('base64url');
  const callers = { IDENTITY: 'service', CALLER_AUTH: 'key', CALLER_KEYS: `mcp:${hashApiKey(key)}` };
  const place = { HOST: '127.0.0.1', PORT: '0', METRICS_PORT: undefined, HOSTS: undefined };
  const gateway = await startGateway({ MCP: 'all', ...env, ...callers, ...place, DOCUMENTS: file });
  return {
    url: gateway.url,
    headers: { 'x-api-key': key },
    async [Symbol.asyncDispose]() {
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  };
}
