import { localsOf } from './mutations.ts';
import type { ParsedFile } from './source.ts';
import { nameOf, type Syntax } from './syntax.ts';

const LINES_AT_MOST = 150;
const VAGUE = /(^|\/)(utils?|helpers?|common|shared|misc|lib)(\/|\.ts$)/;

/** Files that hold more than one idea, generated code aside. */
export function oversized(files: readonly ParsedFile[]): string[] {
  return files
    .map(({ file, source }) => ({ file, lines: source.trimEnd().split('\n').length }))
    .filter(({ file, lines }) => lines > LINES_AT_MOST && !file.startsWith('__generated__/'))
    .map(({ file, lines }) => `${file} has ${lines} lines`);
}

/** Files whose place does not say what question they answer. */
export function vaguelyNamed(files: readonly ParsedFile[]): string[] {
  return files.map(({ file }) => file).filter((file) => VAGUE.test(file));
}

/** Files that ask by the global `fetch`, past the pool and its limits. A process that only checks health may. */
export function fetching(files: readonly ParsedFile[]): string[] {
  return files.filter(({ file, nodes }) => file !== 'edge/healthcheck.ts' && isFetching(nodes)).map(({ file }) => file);
}

function isFetching(nodes: readonly Syntax[]): boolean {
  const isCalled = nodes.some(({ type, callee }) => type === 'CallExpression' && nameOf(callee) === 'fetch');
  return isCalled && !nodes.some((node) => localsOf(node).includes('fetch'));
}
