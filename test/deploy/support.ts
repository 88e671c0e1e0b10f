import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';

/** The folder that the tests are about. */
export const DEPLOY = join(import.meta.dirname, '../../deploy');

export const readDeployFile = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

/** A document of a YAML file, whatever it holds. */
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects of the file.
export type Yaml = any;

export const readYaml = (file: string): readonly Yaml[] =>
  parseAllDocuments(readDeployFile(file), { merge: true }).map((document) => document.toJS());

/** Reads all objects of the manifests except the kustomization. */
export const readManifests = (): readonly Yaml[] =>
  globSync('kubernetes/*.yaml', { cwd: DEPLOY })
    .filter((file) => !file.endsWith('kustomization.yaml'))
    .flatMap(readYaml);

/** Whether programs of the system are installed. */
export const hasPrograms = (...names: readonly string[]): boolean =>
  names.every((name) => spawnSync('which', [name]).status === 0);

/**
 * Runs a program to its end and returns its output.
 *
 * @throws {Error} with the output when the program fails.
 */
export const runProgram = (program: string, args: readonly string[]): string =>
  execFileSync(program, [...args], { encoding: 'utf8', stdio: 'pipe' });

/** Starts a program that goes with the test. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const child = spawn(program, [...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
  });
  return child;
}

/** A port of the loopback address on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
