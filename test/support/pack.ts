import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

import { PACKAGES } from './application.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with the built package, `dist`, and its tarball. */
    readonly packed: string;
  }
}

const ROOT = join(import.meta.dirname, '../..');

/**
 * Installs the clients and the web client by their own lockfiles, unless they are there, and the
 * packed package beside the clients. Packs it once for all projects of a run.
 */
export function setup({ provide }: TestProject) {
  runScript('tools/install.mjs', 'test/clients', 'examples/web');
  const packed = process.env['CASEWAY_PACKED'] ?? pack();
  process.env['CASEWAY_PACKED'] = packed;
  provide('packed', packed);
  return () => rmSync(packed, { recursive: true, force: true });
}

function pack(): string {
  const folder = mkdtempSync(join(tmpdir(), 'caseway-packed-'));
  runScript('build.ts', join(folder, 'dist'));
  execFileSync('npm', ['pack', '--silent', './dist'], { cwd: folder, stdio: 'inherit' });

  const [tarball = ''] = globSync('*.tgz', { cwd: folder });
  const installed = join(PACKAGES, 'caseway');
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed);
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed], { cwd: folder });
  return folder;
}

function runScript(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, script), ...args], { stdio: 'inherit' });
}
