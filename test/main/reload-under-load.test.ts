import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { subscribe } from '../features/live/support.ts';
import { startPlatform } from '../features/replicas/replicas.ts';
import { keyEntries, replaceFile, writeFiles } from '../reload/support.ts';
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

/**
 * Returns changes of files. Every second one writes a wrong version, or writes one for a moment.
 */
function changesOf(at: (name: string) => string) {
  const random = () => Math.random().toString(36).slice(2);
  const keys = () => keyEntries(random(), 'web', random());
  const extra = () => `query Extra_${random()} { forms { totalCount } }`;
  const document = (name: string) => at(`documents/${name}.graphql`);
  const inPieces = async (path: string, text: string) => {
    writeFileSync(path, text.slice(0, text.length * Math.random()));
    await sleep(WRITING_MS * Math.random());
    writeFileSync(path, text);
  };
  const cut = (text: string) => text.slice(0, -2 - Math.floor(40 * Math.random()));
  const good = [
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
    () => writeFileSync(at('keys'), cut(keys())),
    () => writeFileSync(at('keys'), ''),
    () => writeFileSync(at('keys'), `${keys()}web`),
    () => writeFileSync(document('create'), ''),
    () => writeFileSync(document('list'), cut(DOCUMENTS.list)),
    () => writeFileSync(document('list'), '{ nothing }'),
    () => writeFileSync(at('password'), ''),
    () => writeFileSync(at('password'), 'another'),
  ];
  const mend = () => {
    for (const [name, text] of Object.entries(DOCUMENTS)) replaceFile(document(name), text);
    replaceFile(at('keys'), keys());
    replaceFile(at('password'), 'demo');
  };
  const pick = <T>(from: readonly T[]): T | undefined =>
    from[Math.floor(from.length * Math.random())];
  let count = 0;
  return {
    mend,
    async next() {
      count++;
      // A wrong version stays until the next change. Every eighth change repairs all files.
      if (count % 8 === 0) mend();
      else await pick(count % 2 === 0 ? good : wrong)?.();
    },
    count: () => count,
  };
}

it('no request fails while files change every second, and every other version of them is wrong', {
  timeout: 1_800_000,
}, async ({ annotate }) => {
  const platform = await startPlatform({ requestLimit: 0 });
  const { at, env } = writeFiles();
  const changes = changesOf(at);
  changes.mend();
  const run = runMain([], {
    ...{ ...env, DOCUMENTS_MODE: 'enforce', PORT: '0', METRICS_PORT: '0', TYPED_FORMS: 'none' },
    ...{
      UPSTREAM_URL: platform.url,
      UPSTREAM_USERNAME: 'demo',
      UPSTREAM_PASSWORD_FILE: at('password'),
      LOG_LEVEL: 'warn',
    },
  });
  const { url, metrics } = await run.addresses();

  const failed: string[] = [];
  const streams = await Promise.all(
    Array.from({ length: STREAMS_ALWAYS_OPEN }, () =>
      subscribe(url, { documentId: 'live' }, { headers: HEADERS }),
    ),
  );
  for (const { ended } of streams)
    ended.then(
      (text) => failed.push(`a stream ended: ${text}`),
      () => undefined,
    );

  let isDone = false;
  let changed = Promise.resolve();
  const changing = (async () => {
    while (!isDone) {
      const began = performance.now();
      changed = changes.next();
      await changed;
      run.stop('SIGHUP');
      await sleep(Math.max(0, CHANGE_MS - (performance.now() - began)));
    }
  })();

  const send = async (documentId: string, variables?: object) => {
    const body = JSON.stringify({ documentId, variables });
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers: HEADERS, body });
    const text = await response.text();
    if (response.status !== 200 || text.includes('"errors"'))
      throw new Error(`${response.status} ${text}`);
  };
  const stream = async () => {
    const opened = await subscribe(url, { documentId: 'live' }, { headers: HEADERS });
    if (opened.status !== 200) throw new Error(`${opened.status} ${await opened.ended}`);
    const { errors } = await opened.next();
    if (errors) throw new Error(JSON.stringify(errors));
    // Wait until the current change is in place.
    await changed;
    opened.close();
  };
  const began = performance.now();
  let next = 0;
  const work = async () => {
    while (next < REQUESTS) {
      const index = next++;
      await sleep(Math.max(0, (1_000 / PER_SECOND) * index - (performance.now() - began)));
      const kinds = [
        () => send('count'),
        () => send('list'),
        () => send('create', { key: `key-${index}` }),
      ];
      const one = index % 20 === 19 ? stream : (kinds[index % 3] ?? stream);
      await one().catch((error: unknown) => failed.push(`${index}: ${error}`));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  // A fast machine makes some changes too.
  while (changes.count() < 4) await sleep(50);
  isDone = true;
  await changing;
  const seconds = Math.round((performance.now() - began) / 1_000);
  await annotate(
    `${REQUESTS} requests, ${changes.count()} changes in ${seconds} s, ${failed.length} failed`,
  );

  expect(failed).toEqual([]);
  changes.mend();
  run.stop('SIGHUP');
  await expect
    .poll(
      async () =>
        /^caseway_reload_failed(?:\{.*\})? (\d)/m.exec(await (await fetch(metrics)).text())?.[1],
    )
    .toBe('0');
});
