import { parseAst } from 'vitest/node';

/** A node of an ESTree syntax tree, TypeScript included. */
export interface Syntax {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The syntax tree of a TypeScript source. */
export function parseSource(source: string): Syntax {
  // The parser's own types say less than ESTree and are tied to its version.
  return parseAst(source, { lang: 'ts' }) as unknown as Syntax;
}

export function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes right below a node, in order. */
export function childrenOf(node: Syntax): Syntax[] {
  return Object.values(node)
    .flatMap((member) => [member].flat())
    .filter(isSyntax);
}

/** A node and all below it, in order. */
export function everyNode(node: Syntax): Syntax[] {
  return [node, ...childrenOf(node).flatMap(everyNode)];
}

/** The statements of a file, out of their `export`. */
export function statementsOf(program: Syntax): Syntax[] {
  const statements = program['body'] as readonly Syntax[];
  return statements.map((statement) =>
    statement.type === 'ExportNamedDeclaration' && isSyntax(statement['declaration'])
      ? statement['declaration']
      : statement,
  );
}

/** An identifier's name or a string literal's value; `undefined` for any other node. */
export function nameOf(node: unknown): string | undefined {
  if (!isSyntax(node)) return undefined;
  const name = node.type === 'Identifier' ? node['name'] : node.type === 'Literal' ? node['value'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** What an expression is once `as`, `satisfies`, `await` and the like are taken off. */
export function bare(node: unknown): Syntax | undefined {
  if (!isSyntax(node)) return undefined;
  const wraps = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'ParenthesizedExpression'];
  if (wraps.includes(node.type)) return bare(node['expression']);
  return node.type === 'AwaitExpression' ? bare(node['argument']) : node;
}

/** The identifier that a chain such as `a.b[c].d` starts from. */
export function rootOf(node: unknown): string | undefined {
  const inner = bare(node);
  return inner?.type === 'MemberExpression' ? rootOf(inner['object']) : nameOf(inner);
}
