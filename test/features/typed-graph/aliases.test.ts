import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { writeFolder } from '../../support/folder.ts';
import { startFormPlatform } from '../../support/form-platform.ts';
import { runCommand } from '../../support/run.ts';

const FORMS = [
  { idForm: 'FRM_001', name: 'Purchase order', fields: [{ name: 'amount' }] },
  { idForm: 'FRM_002', name: 'Leave', fields: [] },
  { idForm: 'FRM_003', name: 'Leave', fields: [] },
  { idForm: 'query', name: 'Query', fields: [] },
  { idForm: 'supplier', fields: [] },
];

/** Starts a platform, and writes a file of aliases unless there are none. */
async function start(aliases?: object) {
  const platform = await startFormPlatform(FORMS);
  const file = join(writeFolder(aliases ? { 'aliases.json': aliases } : {}), 'aliases.json');
  return {
    file,
    run: (args: readonly string[], env = {}) =>
      runCommand(['aliases', ...args], { ...platform.env, ...env }),
    written: (): unknown => JSON.parse(readFileSync(file, 'utf8')),
  };
}

describe('npm run aliases', () => {
  it('writes names for all forms, suggested from their names, and lists the served ones', async () => {
    const { file, run, written } = await start();

    const { code, stdout, stderr } = await run([file]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(written()).toEqual({
      FRM_001: { name: 'PurchaseOrder' },
      // Two forms have this name.
      FRM_002: { name: 'Frm002' },
      FRM_003: { name: 'Frm003' },
      query: { name: expect.stringMatching(/^Query_[0-9a-f]{8}$/) },
      supplier: { name: 'Supplier' },
    });
    expect(stdout).toContain('"FRM_001": PurchaseOrder (served as Frm001 now)\n');
    expect(stdout).toContain('"supplier": Supplier\n');
    expect(stdout).toContain(
      `5 of 5 forms have new aliases in ${file}.\nSet TYPED_ALIASES=${file} to serve them.\n`,
    );
  });

  it('adds only new forms to the file of TYPED_ALIASES', async () => {
    const known = {
      FRM_001: { name: 'Order', fields: { amount: 'total' } },
      gone: { name: 'Gone' },
      supplier: { plural: 'vendors' },
    };
    const { file, run, written } = await start(known);

    const { code, stdout } = await run([], { TYPED_ALIASES: file });

    expect(code).toBe(0);
    expect(stdout).toContain('4 of 5 forms have new aliases');
    expect(stdout).not.toContain('Set TYPED_ALIASES');
    expect(written()).toMatchObject({
      ...known,
      supplier: { name: 'Supplier', plural: 'vendors' },
      FRM_002: { name: 'Frm002' },
    });
    expect((await run([], { TYPED_ALIASES: file })).stdout).toBe(
      `0 of 5 forms have new aliases in ${file}.\n`,
    );
  });

  it('suggests new names, or the served ones', async () => {
    const fields = { amount: 'total' };
    const { file, run, written } = await start({ FRM_001: { name: 'Order', fields } });

    await run([file, '--all', '--as-served']);
    expect(written()).toMatchObject({
      FRM_001: { name: 'Order', fields },
      FRM_002: { name: 'Frm002' },
    });

    await run([file, '--all']);
    expect(written()).toMatchObject({ FRM_001: { name: 'PurchaseOrder', fields } });
  });

  it('lists forms without an alias with --check, writes nothing and exits with 1', async () => {
    const { file, run, written } = await start({ FRM_001: { name: 'Order' } });

    const { code, stderr } = await run([file, '--check']);

    expect(code).toBe(1);
    expect(stderr).toContain(`4 forms have no name in ${file}:\n  "FRM_002", served as Frm002\n`);
    expect(written()).toEqual({ FRM_001: { name: 'Order' } });
    await run([file]);
    expect(await run([file, '--check'])).toEqual({
      code: 0,
      stdout: `All forms have aliases in ${file}.\n`,
      stderr: '',
    });
  });

  it('exits with 2 for invalid arguments, or with 1 if the forms cannot be read, and changes no file', async () => {
    const { file, run, written } = await start({ FRM_001: { nmae: 'Order' } });

    const stderr = (text: string) => ({ stderr: expect.stringContaining(text) });
    expect(await run([])).toMatchObject({ code: 2, ...stderr('TYPED_ALIASES') });
    expect(await run([file])).toMatchObject({ code: 2, ...stderr('nmae') });
    expect(await run([file, '--every'])).toMatchObject({ code: 2 });
    const elsewhere = `${file}/aliases.json`;
    expect(await run([elsewhere])).toMatchObject({
      code: 2,
      ...stderr(`cannot write ${elsewhere}: ENOTDIR\n`),
    });
    expect(written()).toEqual({ FRM_001: { nmae: 'Order' } });
    const missing = `${file}.missing`;
    expect(await run([missing, '--snapshot', import.meta.filename])).toMatchObject({
      code: 1,
      ...stderr('is not a snapshot'),
    });
  });
});
