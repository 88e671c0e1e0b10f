import { posix } from 'node:path';

import { everyNode, isSyntax, nameOf, parseSource, type Syntax } from './syntax.ts';

/** A file of `src/`, by its path below it. */
export interface SourceFile {
  readonly file: string;
  readonly source: string;
}

/** One import, re-export or dynamic import. */
export interface Import {
  readonly file: string;
  /** The path below `src/` for a file of ours, else as written; `undefined` when computed at run time. */
  readonly target: string | undefined;
  readonly isOurs: boolean;
  /** Whether nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
}

export interface ParsedFile extends SourceFile {
  readonly program: Syntax;
  readonly nodes: readonly Syntax[];
  readonly imports: readonly Import[];
}

const IMPORTING = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
  'TSExternalModuleReference',
];

/** A file with its syntax and its imports. */
export function parseFile({ file, source }: SourceFile): ParsedFile {
  const program = parseSource(source);
  const nodes = everyNode(program);
  const imports = nodes.filter(isImporting).map((node) => toImport(file, node));
  return { file, source, program, nodes, imports };
}

function isImporting(node: Syntax): boolean {
  return IMPORTING.includes(node.type) && (node.type !== 'ExportNamedDeclaration' || isSyntax(node['source']));
}

function toImport(file: string, node: Syntax): Import {
  const specifier = nameOf(node['source'] ?? node['expression'] ?? node['argument']);
  const isOurs = specifier?.startsWith('.') ?? false;
  const target = isOurs ? posix.join(posix.dirname(file), specifier ?? '') : specifier;
  // `import { type A }` still loads the file; `import type { A }` does not.
  const isTypeOnly = node.type === 'TSImportType' || node['importKind'] === 'type' || node['exportKind'] === 'type';
  return { file, target, isOurs, isTypeOnly };
}
