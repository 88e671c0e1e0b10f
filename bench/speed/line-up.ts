import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CALLER } from '../stage/gateway.ts';
import type { Stage } from '../stage/index.ts';
import { answerOf } from './agree.ts';
import type { Contender, ContenderName } from './contender.ts';
import { installPeers, type Peer, startPeer, startTailcall } from './peer.ts';
import { endpoint, graphql } from './request.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/** Everyone who takes part, each started and ready. */
export interface LineUp {
  readonly contenders: readonly Contender[];
  close(): void;
}

/** Nothing is asked as long as it is known to be true, by a setting; what differs is the time that is allowed. */
const KNOWN_FOR_A_DAY = {
  FRESH_INSTANCES_MS: '86400000',
  FRESH_LISTS_MS: '86400000',
  FRESH_DEFINITIONS_MS: '86400000',
};

const generic = (workload: Workload) => graphql(workload, workload.generic, { headers: CALLER });
const typed = (workload: Workload) => graphql(workload, workload.typed);
const tailcall = (workload: Workload) => graphql(workload, workload.typed, { idType: 'String!' });
const onlyW1 = (workload: Workload) => workload.name === 'W1';

export async function lineUp(stage: Stage): Promise<LineUp> {
  installPeers();
  const { upstream, folder } = stage;
  const peers: Peer[] = [];
  const contenders: Contender[] = [];
  const enter = ({ port, pid }: Pick<Peer, 'port' | 'pid'>, name: ContenderName, request: Contender['request']) =>
    contenders.push({ name, port, pid, request });
  const enterPeer = async (starting: Promise<Peer | undefined>, name: ContenderName, request: Contender['request']) => {
    const peer = await starting;
    if (peer === undefined) return;
    peers.push(peer);
    enter(peer, name, request);
  };

  const dialect = join(folder, 'dialect.json');
  writeFileSync(dialect, '{"search":{"operators":{"IN":null}}}');
  const gateway = await stage.gateway();
  enter(gateway, 'caseway', generic);
  enter(await stage.gateway({ UPSTREAM_DIALECT: dialect }), 'casewayByOne', (workload) =>
    onlyW1(workload) ? generic(workload) : undefined,
  );
  enter(await stage.gateway(KNOWN_FOR_A_DAY), 'casewayKnown', (workload, kind) =>
    kind === 'equal' ? generic(workload) : undefined,
  );
  await enterPeer(startPeer('apollo', upstream.url), 'apollo', typed);
  await enterPeer(startPeer('apollo-fastify', upstream.url), 'apolloFastify', typed);
  await enterPeer(startPeer('yoga', upstream.url), 'yoga', typed);
  await enterPeer(startPeer('mercurius', upstream.url), 'mercurius', typed);
  await enterPeer(startTailcall(upstream.url, folder, { isDeduping: true }), 'tailcall', tailcall);
  // It would make 201 calls for each answer of W1.
  await enterPeer(startTailcall(upstream.url, folder, { isDeduping: false }), 'tailcallPlain', (workload) =>
    onlyW1(workload) ? undefined : tailcall(workload),
  );
  await enterPeer(startPeer('rest', upstream.url), 'rest', endpoint);
  await enterPeer(startPeer('rest', upstream.url, ['by-one']), 'restByOne', (workload) =>
    onlyW1(workload) ? endpoint(workload) : undefined,
  );
  const bodies = join(folder, 'bodies.json');
  writeFileSync(bodies, JSON.stringify(await bodiesOf(gateway.port)));
  await enterPeer(startPeer('bare', upstream.url, [bodies]), 'bare', (workload, kind) =>
    kind === 'equal' ? endpoint(workload) : undefined,
  );

  return {
    contenders,
    close() {
      for (const peer of peers) peer.stop();
    },
  };
}

/** The bytes of our answers, by the paths at which the bare server is asked for them. */
async function bodiesOf(port: number): Promise<Readonly<Record<string, string>>> {
  const bodies = WORKLOADS.map(async (workload) => {
    const { path } = endpoint(workload);
    return [path.replace('FORM', 'thing-0').replace('PAGE', '1'), await answerOf(port, generic(workload), 'equal', 0)];
  });
  return Object.fromEntries(await Promise.all(bodies));
}
