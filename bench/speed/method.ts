import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Schedule } from './rounds.ts';

const LOCKFILE = join(import.meta.dirname, '../peers/package-lock.json');
const NAMED = [
  ...['@apollo/server', '@as-integrations/fastify', 'fastify', 'graphql', 'dataloader', 'graphql-yoga', 'mercurius'],
  ...['undici', '@tailcallhq/core-linux-x64-gnu'],
];

/** Words how it was measured, for whoever doubts the figures. */
export function formatMethod({ rounds, burstMs, warmUpMs, clients }: Schedule, hasTailcall: boolean): string {
  const lines = [
    `Medians of ${rounds} rounds of ${burstMs} ms for each server at each workload, after ${warmUpMs} ms to warm up. The rounds are`,
    'interleaved, so that what the machine does meanwhile meets all alike. Each server is a process of its own with',
    '`NODE_ENV=production`; one platform on loopback, without delay, serves all; the client, a process too, has',
    `${clients} connections that ask again as soon as they are answered. All data were equal before anything was measured.`,
    '',
    '- *CPU ms*: processor time of the server, all its threads, for 1,000 answers, from `/proc`; that of the platform and of the',
    '  client is not in it. *Caseway is*: ours as a multiple of theirs. *calls*: to the platform, for each answer. *rps* with ≥: the',
    '  client was the bound.',
    '- *Caseway* has everything on: callers known by API keys, limits, admission, cost, one line of log for each operation, written to',
    '  a file; its heap may grow to 256 MB. It looks several owners up by one call, which the REST endpoint does too, and a DataLoader',
    '  by id does not; the rows *a call for each owner* are ours and REST before a platform that cannot be asked so.',
    '- *All known true*: `FRESH_*_MS` say that what was read may be answered for a day.',
    '- The peers know no callers, count no cost and write no log. Their graph is written for exactly these forms, so that values are',
    '  plain fields, where ours is generic. All in Node use one undici pool of 128 connections, the fastest client there is. Apollo',
    '  standalone is as it comes; with fastify its cache hints are off. Yoga caches parsed documents, Mercurius compiles them.',
    '- *REST*: `node:http` and undici, one endpoint for each workload, what can be asked at once asked at once.',
    `- ${hasTailcall ? 'Tailcall has threads for both processors. With *dedupe*, equal calls to the platform that are under way are made once; without it, as it comes, it would make 201 calls for an answer of W1.' : 'Tailcall has no binary that runs on this machine.'}`,
    `- ${versions().join(', ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

function versions(): string[] {
  const { packages } = JSON.parse(readFileSync(LOCKFILE, 'utf8')) as { packages: Record<string, { version?: string }> };
  return NAMED.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? ''}`);
}
