import { describe, expect, it } from 'vitest';

import type { Evidence } from '../../src/store/evidence.ts';
import type { Reads } from '../../src/store/resource.ts';
import { BODY, KEY, openTimed, PAGE } from './support/open-timed.ts';

/** A list, and what it refers to, which nobody knows before the list is there. */
async function readTwoWaves({ instances, instance, form }: Reads) {
  await instances('a', PAGE);
  return Promise.all([form('a'), instance(KEY)]);
}

/** A store that has answered an operation some time ago, and the evidence of that answer. */
async function answered(options: Parameters<typeof openTimed>[0] = {}, read = readTwoWaves) {
  const timed = await openTimed(options);
  timed.pass(10_000);
  const { meter } = await timed.run<unknown>(read);
  timed.pass(10_000);
  timed.asked.length = 0;
  const confirm = async (maxCalls?: number) => {
    const own = timed.meter(maxCalls);
    const isTrue = await timed.store.confirm(evidence, timed.signal, own);
    return { isTrue, meter: own };
  };
  const evidence = meter.evidence as Evidence;
  const targets = () => timed.asked.map(({ target }) => target.split('?')[0]?.replace('/v1.0', ''));
  return { ...timed, evidence, confirm, targets };
}

describe('the evidence of an answer', () => {
  it('is what was read, each in the wave that it was wanted in', async () => {
    const { evidence } = await answered();

    expect(evidence.map((wave) => wave.map(({ wanted }) => wanted.operation))).toEqual([
      ['getFormIntances'],
      ['getForm', 'getFormIntance'],
    ]);
  });

  it('names the same version as long as the body is the same', async () => {
    const { run, evidence, put } = await answered();
    put('/forms/a/instances/1', BODY);

    expect((await run<unknown>(readTwoWaves)).meter.evidence).toEqual(evidence);
  });

  it.each([
    ['a read failed', { windows: {} }, { status: 500 }],
    ['a read was answered by an old copy', { windows: { staleIfFailed: 60_000 } }, { status: 500 }],
  ])('is none where %s', async (_what, options, failure) => {
    const { begin, failNext } = await answered(options);
    const { meter, instance } = begin();

    failNext(failure);
    await instance(KEY).catch(() => undefined);

    expect(meter.evidence).toBeUndefined();
  });

  it('is none where one thing was read as two versions, before a change and after', async () => {
    const { begin, store, put } = await answered();
    const { meter, instance } = begin();

    await instance(KEY);
    put('/forms/a/instances/1', { ...BODY, values: { n: 2 } });
    await store.wrote(KEY);
    await instance(KEY);

    expect(meter.evidence).toBeUndefined();
  });
});

describe('confirming an answer', () => {
  it('takes no call while all of it is fresh', async () => {
    const { confirm, asked } = await answered({ windows: { instances: 60_000, lists: 60_000 } });

    const { isTrue, meter } = await confirm();

    expect(isTrue).toBe(true);
    expect(meter).toMatchObject({ calls: 0, fresh: 3 });
    expect(asked).toEqual([]);
  });

  it('asks conditionally for what is not fresh, and for nothing else', async () => {
    const { confirm, targets, conditions } = await answered();

    const { isTrue, meter } = await confirm();

    expect(isTrue).toBe(true);
    expect(targets()).toEqual(['/forms/a/instances', '/forms/a/instances/1']);
    expect(conditions()).toEqual([true, true]);
    expect(meter).toMatchObject({ calls: 2, notModified: 2, fresh: 1 });
  });

  it('holds also where the same body comes again', async () => {
    const { confirm, put } = await answered();
    put('/forms/a/instances', BODY);

    expect((await confirm()).isTrue).toBe(true);
  });

  it('does not ask what it wanted because of something that has changed', async () => {
    const { confirm, put, targets } = await answered();
    put('/forms/a/instances', { ...BODY, items: [{ idInstance: 1, values: {} }] });

    expect((await confirm()).isTrue).toBe(false);
    expect(targets()).toEqual(['/forms/a/instances']);
  });

  it.each([
    ['an instance', '/forms/a/instances/1', { ...BODY, values: { n: 1 } }],
    ['a list', '/forms/a/instances', { ...BODY, items: [{ idInstance: 1, values: {} }] }],
  ])('fails after a change of %s, and leaves the operation no call to make twice', async (_what, path, body) => {
    const { confirm, put, targets, store, signal } = await answered();
    put(path, body);

    const { isTrue, meter } = await confirm();
    await readTwoWaves(store.reads(signal, meter));

    expect(isTrue).toBe(false);
    expect(targets()).toEqual(['/forms/a/instances', '/forms/a/instances/1']);
    expect(meter.calls).toBe(2);
  });

  it('leaves the operation no call to make twice, also where memory has no room', async () => {
    const { confirm, targets, store, signal } = await answered({ maxBytes: 1_024 });

    const { meter } = await confirm();
    await readTwoWaves(store.reads(signal, meter));

    expect(new Set(targets()).size).toBe(targets().length);
  });

  it('makes no call where another operation has seen a change already', async () => {
    const { confirm, put, begin, asked } = await answered();
    put('/forms/a/instances/1', { ...BODY, values: { n: 1 } });
    await begin().instance(KEY);
    asked.length = 0;

    expect((await confirm()).isTrue).toBe(false);
    expect(asked).toEqual([]);
  });

  it('asks plainly for what a change may have touched', async () => {
    const { confirm, store, conditions } = await answered();
    await store.wrote({ formId: 'a', instanceId: '2' });

    expect((await confirm()).isTrue).toBe(true);
    expect(conditions()).toEqual([false, true]);
  });

  it('fails where the platform does, and the operation meets the same without another call', async () => {
    const { confirm, failNext, store, signal, asked } = await answered();
    failNext({ status: 500 });

    const { isTrue, meter } = await confirm();
    const outcome = await store
      .reads(signal, meter)
      .instances('a', PAGE)
      .catch((error) => error.failure);

    expect([isTrue, outcome]).toEqual([false, 'failed']);
    expect(asked).toHaveLength(1);
  });

  it('is never content with an old copy', async () => {
    const { confirm, failNext } = await answered({ windows: { staleIfFailed: 600_000 } });
    failNext({ status: 500 });

    expect((await confirm()).isTrue).toBe(false);
  });

  it('makes no more calls than the operation may', async () => {
    const { confirm, asked } = await answered();

    expect((await confirm(1)).isTrue).toBe(false);
    expect(asked).toHaveLength(1);
  });
});
