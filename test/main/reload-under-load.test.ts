import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { subscribe } from '../features/live/support.ts';
import { startPlatform } from '../features/replicas/replicas.ts';
import { keyEntries, replaceFile, writeFiles } from '../reload/support.ts';
import { postGraphql } from '../support/gateway.ts';
import { runMain } from '../support/run.ts';

/** The number of requests while files change. `RELOAD_REQUESTS=20000` is the long run. */
const REQUESTS = Number(process.env['RELOAD_REQUESTS'] ?? 600);
const AT_A_TIME = 16;
const PER_SECOND = 200;
const CHANGE_MS = 1_000;
/** The maximum time between the two parts of a written file. */
const WRITING_MS = 300;
const STREAMS_ALWAYS_OPEN = 4;

const DOCUMENTS = {
  count: '{ forms { totalCount } }',
  list: '{ instances(formId: "supplier", first: 5) { totalCount nodes { values } } }',
  live: 'subscription { instances(formId: "supplier", first: 1) { nodes { id } } }',
  create: `mutation ($key: ID!) {
    createInstance(input: { formId: "supplier", values: { name: "N", country: "PT", active: true }, idempotencyKey: $key }) { instance { id } }
  }`,
};
const HEADERS = { 'content-type': 'application/json', 'x-api-key': 'web' };

const random = () => Math.random().toString(36).slice(2);
const pick = <T>(choices: readonly T[]) => choices[Math.floor(choices.length * Math.random())];
const keys = () => keyEntries(random(), 'web', random());
const extra = () => `query Extra_${random()} { forms { totalCount } }`;
/** Cuts the end of a text. */
const cut = (text: string) => text.slice(0, -2 - Math.floor(40 * Math.random()));

/** Returns right and wrong changes of the files, and one that repairs all of them. */
function changesOf(at: (name: string) => string) {
  const document = (name: string) => at(`documents/${name}.graphql`);
  const inPieces = async (path: string, text: string) => {
    writeFileSync(path, text.slice(0, text.length * Math.random()));
    await sleep(WRITING_MS * Math.random());
    writeFileSync(path, text);
  };
  const right = [
    () => replaceFile(at('keys'), keys()),
    () => writeFileSync(at('keys'), keys()),
    () => replaceFile(document('extra'), extra()),
    () => replaceFile(document('count'), `${DOCUMENTS.count} # ${random()}`),
    () => replaceFile(at('password'), `demo${' '.repeat(Math.floor(9 * Math.random()))}\n`),
  ];
  const wrong = [
    () => inPieces(at('keys'), keys()),
    () => inPieces(document('extra'), extra()),
    () => inPieces(document('live'), DOCUMENTS.live),
    () => writeFileSync(at('keys'), pick([cut(keys()), '', `${keys()}web`]) ?? ''),
    () => writeFileSync(document('create'), ''),
    () => writeFileSync(document('list'), pick([cut(DOCUMENTS.list), '{ nothing }']) ?? ''),
    () => writeFileSync(at('password'), pick(['', 'another']) ?? ''),
  ];
  const repair = () => {
    for (const [name, text] of Object.entries(DOCUMENTS)) replaceFile(document(name), text);
    replaceFile(at('keys'), keys());
    replaceFile(at('password'), 'demo');
  };
  return { right, wrong, repair };
}

it('no request fails while files change every second, and every other version of them is wrong', {
  timeout: 1_800_000,
}, async ({ annotate }) => {
  const platform = await startPlatform({ requestLimit: 0 });
  const { at, env } = writeFiles();
  const { right, wrong, repair } = changesOf(at);
  repair();
  const run = runMain([], {
    ...env,
    DOCUMENTS_MODE: 'enforce',
    PORT: '0',
    METRICS_PORT: '0',
    TYPED_FORMS: 'none',
    UPSTREAM_URL: platform.url,
    UPSTREAM_USERNAME: 'demo',
    UPSTREAM_PASSWORD_FILE: at('password'),
    LOG_LEVEL: 'warn',
  });
  const { url, metrics } = await run.addresses();
  const openStream = () => subscribe(url, { documentId: 'live' }, { headers: HEADERS });

  const failed: string[] = [];
  for (let n = 0; n < STREAMS_ALWAYS_OPEN; n++) {
    (await openStream()).ended.then(
      (text) => failed.push(`a stream ended: ${text}`),
      () => undefined,
    );
  }

  let isDone = false;
  let changes = 0;
  let changed: void | Promise<void>;
  const changing = (async () => {
    while (!isDone) {
      const began = performance.now();
      changes++;
      // A wrong version stays until the next change. Every eighth change repairs all files.
      const change = changes % 8 === 0 ? repair : pick(changes % 2 === 0 ? right : wrong);
      changed = change?.();
      await changed;
      run.stop('SIGHUP');
      await sleep(Math.max(0, CHANGE_MS - (performance.now() - began)));
    }
  })();

  const send = async (documentId: string, variables?: object) => {
    const { status, errors } = await postGraphql(url, { documentId, variables }, HEADERS);
    if (status !== 200 || errors) throw new Error(`${status} ${JSON.stringify(errors)}`);
  };
  const stream = async () => {
    const opened = await openStream();
    if (opened.status !== 200) throw new Error(`${opened.status} ${await opened.ended}`);
    const { errors } = await opened.next();
    if (errors) throw new Error(JSON.stringify(errors));
    // Wait until the current change is in place.
    await changed;
    opened.close();
  };
  const sendNumber = (index: number) => {
    if (index % 20 === 19) return stream();
    if (index % 3 === 0) return send('create', { key: `key-${index}` });
    return send(index % 3 === 1 ? 'count' : 'list');
  };
  const began = performance.now();
  let next = 0;
  const work = async () => {
    while (next < REQUESTS) {
      const index = next++;
      await sleep(Math.max(0, (1_000 / PER_SECOND) * index - (performance.now() - began)));
      await sendNumber(index).catch((error: unknown) => failed.push(`${index}: ${error}`));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  // A fast machine makes some changes too.
  while (changes < 4) await sleep(50);
  isDone = true;
  await changing;
  const seconds = Math.round((performance.now() - began) / 1_000);
  await annotate(`${REQUESTS} requests, ${changes} changes in ${seconds} s`);

  expect(failed).toEqual([]);
  repair();
  run.stop('SIGHUP');
  const readMetrics = async () => (await fetch(metrics)).text();
  await expect.poll(readMetrics).toMatch(/^caseway_reload_failed(\{.*\})? 0$/m);
});
