import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  constants,
  openSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';

import { startCountedGateway, startGateway, type TestGateway } from '../../support/gateway.ts';
import { scriptPlatform } from '../../support/scripted-platform.ts';
import { auditFile, codesOf, parseLines, readLines, UPDATE } from './support.ts';

/** A disk that is full. */
const FULL = '/dev/full';
/** This number of outcomes is longer than a page. A pipe or a disk may take only a part of it. */
const MANY = 60;
const REMOVE = 'mutation { deleteInstance(input: { formId: "f", instanceId: "1" }) { deletedId } }';
const READ = '{ instance(formId: "supplier", instanceId: "1") { instanceId } }';

/** The place of an audit that can be led to a full disk and back. */
function createLink(target: string) {
  const path = auditFile();
  const lead = (to: string) => {
    rmSync(path, { force: true });
    symlinkSync(to, path);
  };
  lead(target);
  return { path, lead };
}

/** The place of an audit that is a pipe, with a reader who leaves and comes again. */
function createPipe() {
  const path = auditFile();
  execFileSync('mkfifo', [path]);
  const texts: Buffer[] = [];
  let reader: number;
  const startReading = () => {
    reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  };
  const read = () => {
    const buffer = Buffer.alloc(PIPE_BYTES);
    texts.push(buffer.subarray(0, readSync(reader, buffer)));
  };
  startReading();
  return {
    path,
    startReading,
    read,
    stopReading() {
      read();
      closeSync(reader);
    },
    /** Fills an empty pipe up to this number of free bytes. */
    fill: (room: number) => writeFileSync(path, '\n'.repeat(PIPE_BYTES - room)),
    lines: () => parseLines(Buffer.concat(texts).toString()),
  };
}

/** As much as a pipe of Linux holds. */
const PIPE_BYTES = 65_536;

/** Reads readiness and the metric of a gateway's audit. */
async function readState({ url, metrics }: TestGateway) {
  const ready = await fetch(`${url}/readyz`);
  const { checks } = (await ready.json()) as { readonly checks: Readonly<Record<string, string>> };
  const [, writable] = /^caseway_audit_writable (\d)$/m.exec(await metrics()) ?? [];
  return [ready.status, checks['audit'], writable];
}

describe('while the audit cannot be written', () => {
  it('changes are refused and not sent, and reads go on', async () => {
    const { execute, calls } = await startCountedGateway({ AUDIT_FILE: FULL });

    const { errors } = await execute(UPDATE, { key: 'k', name: 'x' });
    const { data } = await execute(READ);

    expect(errors).toMatchObject([{ extensions: { code: 'AUDIT_UNAVAILABLE', retryable: true } }]);
    expect(data.instance).toEqual({ instanceId: '1' });
    expect(calls).toEqual(['getToken', 'getFormIntance']);
  });

  it('items of a bulk write are not sent', async () => {
    const { execute } = await startCountedGateway({ AUDIT_FILE: FULL });

    const { data } =
      await execute(`mutation { deleteInstances(input: { formId: "supplier", items: [{ instanceId: 1 }, { instanceId: 2 }] }) {
      notSent results { status error { code retryable } }
    } }`);

    const error = { code: 'AUDIT_UNAVAILABLE', retryable: true };
    expect(data.deleteInstances).toEqual({
      notSent: 2,
      results: Array(2).fill({ status: 'NOT_SENT', error }),
    });
  });

  it('readiness and a metric say so, the gateway stays ready, and the log has a line for each turn', async () => {
    const file = auditFile();
    const link = createLink(FULL);
    const env = { AUDIT_FILE: link.path, METRICS_PORT: '0', LOG_LEVEL: 'info' };
    const gateway = await startCountedGateway(env);

    expect(await readState(gateway)).toEqual([200, 'ok', '1']);
    await gateway.execute(UPDATE, { name: 'x' });
    await gateway.execute(UPDATE, { name: 'x' });
    expect(await readState(gateway)).toEqual([200, 'unavailable', '0']);
    link.lead(file);
    expect(await readState(gateway)).toEqual([200, 'ok', '1']);

    const turns = gateway.logged().filter(({ msg }) => /^the audit can/.test(String(msg)));
    expect(turns).toEqual([
      {
        level: 50,
        time: expect.any(String),
        reason: 'ENOSPC',
        file: link.path,
        advice: expect.stringContaining('Free space'),
        msg: 'the audit cannot be written: changes are refused',
      },
      expect.objectContaining({ msg: 'the audit can be written again' }),
    ]);
  });

  it('a change with a key is made when it is sent again later', async () => {
    const file = auditFile();
    const link = createLink(FULL);
    const { execute, calls } = await startCountedGateway({ AUDIT_FILE: link.path });
    const change = { key: 'k', name: 'x' };

    expect(codesOf(await execute(UPDATE, change))).toEqual(['AUDIT_UNAVAILABLE']);
    link.lead(file);
    expect(codesOf(await execute(UPDATE, change))).toEqual([]);

    expect(calls.filter((call) => call === 'updateValuesOfFormIntance')).toHaveLength(1);
    expect(readLines(file).map(({ event }) => event)).toEqual(['sent', 'done']);
  });
});

/** Starts a gateway whose audit is a pipe. Its reader leaves during the first change. */
async function startUnread() {
  const pipe = createPipe();
  const platform = await scriptPlatform(() => {
    if (platform.seen.length === 1) pipe.stopReading();
    return { status: 204 };
  });
  const env = { ...platform.env, AUDIT_FILE: pipe.path, METRICS_PORT: '0' };
  const { execute, metrics } = await startGateway(env);
  return { pipe, seen: platform.seen, metrics, remove: async () => codesOf(await execute(REMOVE)) };
}

it('an outcome that cannot be written keeps no answer from its client, and is written before any other change', async () => {
  const { pipe, seen, remove } = await startUnread();

  expect(await remove()).toEqual([]);
  expect(await remove()).toEqual(['AUDIT_UNAVAILABLE']);
  pipe.startReading();
  expect(await remove()).toEqual([]);
  pipe.stopReading();

  expect(seen).toHaveLength(2);
  const lines = pipe.lines();
  expect(lines.map(({ event }) => event)).toEqual(['sent', 'done', 'sent', 'done']);
  expect(lines[1]?.['id']).toBe(lines[0]?.['id']);
});

it('metrics count its lines, failed attempts, and outcomes that wait for it', async () => {
  const { pipe, metrics, remove } = await startUnread();
  const figures = async () => {
    const text = await metrics();
    const found = text.matchAll(/^caseway_audit_(?:lines_total\S*|outcomes_waiting) (\d+)$/gm);
    return [...found].map(([, value]) => Number(value));
  };

  await remove();
  await remove();
  // A scrape checks whether the audit can be written, which is no line.
  await figures();

  // Written, failed: the outcome of the first change, and the line of the second.
  expect(await figures()).toEqual([1, 2, 1]);
  pipe.startReading();
  await remove();
  expect(await figures()).toEqual([4, 2, 0]);
  pipe.stopReading();
});

it('outcomes that could not be written have one line each, also where some of them fit', async () => {
  const pipe = createPipe();
  const answers: (() => void)[] = [];
  const platform = await scriptPlatform(async () => {
    if (platform.seen.length <= MANY) await new Promise<void>((resolve) => answers.push(resolve));
    return { status: 204 };
  });
  const { execute } = await startGateway({ ...platform.env, AUDIT_FILE: pipe.path });
  const remove = () => execute(REMOVE);
  const removals = Array.from({ length: MANY }, remove);
  await expect.poll(() => answers.length).toBe(MANY);
  pipe.stopReading();
  for (const answer of answers) answer();
  await Promise.all(removals);

  pipe.startReading();
  pipe.fill(4_096);
  expect(codesOf(await remove())).toEqual(['AUDIT_UNAVAILABLE']);
  pipe.read();
  expect(codesOf(await remove())).toEqual([]);
  pipe.stopReading();

  const done = pipe.lines().flatMap(({ event, id }) => (event === 'done' ? [id] : []));
  expect(done).toHaveLength(MANY + 1);
  expect(new Set(done).size).toBe(MANY + 1);
});

it('a file that was moved is left for a new one', async () => {
  const file = auditFile();
  const { execute } = await startCountedGateway({ AUDIT_FILE: file });
  await execute(UPDATE, { name: 'x' });
  renameSync(file, `${file}.1`);
  writeFileSync(file, '');

  // The file is looked for once a second.
  await expect
    .poll(async () => {
      await execute(UPDATE, { name: 'y' });
      return readLines(file).length;
    })
    .toBeGreaterThan(0);

  const lines = [...readLines(`${file}.1`), ...readLines(file)];
  expect(new Set(lines.slice(0, -1).map(({ event }) => event))).toEqual(new Set(['sent', 'done']));
});

it('a line begins anew where a killed process has left a part of one', async () => {
  const file = auditFile();
  appendFileSync(file, '{"audit":1,"time":"20');
  const { execute } = await startCountedGateway({ AUDIT_FILE: file });

  await execute(UPDATE, { name: 'x' });

  expect(readLines(file).map(({ event }) => event)).toEqual(['sent', 'done']);
});
