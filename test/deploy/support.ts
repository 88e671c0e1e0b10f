import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** The folder that the tests are about. */
export const DEPLOY = join(import.meta.dirname, '../../deploy');

export const readDeployFile = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

/** A document of a YAML file, whatever it holds. */
// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape.
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
