import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPrograms, runProgram } from '../deploy/support.ts';
import { writeFolder } from '../support/folder.ts';

const COMMAND = join(import.meta.dirname, '../../tools/image/build.ts');
/** A buildah that builds nothing, and a podman that runs the stand-ins. */
const PROGRAMS = {
  buildah: 'if [ "$1" = bud ]; then echo no space left; exit 125; fi',
  podman: `echo ${process.version}`,
  conmon: '',
  runc: '',
  debootstrap: '',
};

/** Runs the command where there are these programs and no Docker. */
function run(programs: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const [bin, temporary] = ['bin', 'tmp'].map((name) => join(writeFolder({}), name));
  for (const folder of [bin, temporary]) mkdirSync(String(folder));
  for (const name of ['sh', 'which', 'git'])
    symlinkSync(runProgram('which', [name]).trim(), join(String(bin), name));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(String(bin), name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(String(bin), name), 0o755);
  }
  const env = { PATH: bin, TMPDIR: temporary };
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    encoding: 'utf8',
    env,
  });
  return { status, stderr, left: readdirSync(String(temporary)) };
}

describe.skipIf(process.getuid?.() !== 0 || !hasPrograms('git'))('npm run image', () => {
  it('refuses arguments before it builds', () => {
    expect(run(PROGRAMS, ['--help'])).toMatchObject({ status: 2, left: [] });
  });

  it('names the programs that are missing, by a status of its own', () => {
    const { podman: _, ...others } = PROGRAMS;

    expect(run(others)).toEqual({
      status: 69,
      stderr: expect.stringContaining('podman'),
      left: [],
    });
  });

  it('shows the output of a failed build, and leaves no files behind', () => {
    expect(run(PROGRAMS)).toEqual({
      status: 1,
      stderr: expect.stringContaining('no space left'),
      left: [],
    });
  });
});
