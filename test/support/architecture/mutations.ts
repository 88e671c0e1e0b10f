import { bare, childrenOf, everyNode, isSyntax, nameOf, rootOf, type Syntax } from './syntax.ts';

const MUTATORS = [
  ...['add', 'clear', 'copyWithin', 'delete', 'fill', 'pop', 'push'],
  ...['reverse', 'set', 'shift', 'sort', 'splice', 'unshift'],
];

/** Which of a file's top-level names its code changes in place, each once. A local of the same name hides it. */
export function mutationsOf(node: Syntax, names: readonly string[]): string[] {
  const locals = localsOf(node);
  const visible = names.filter((name) => !locals.includes(name));
  const changed = [changedBy(node) ?? '', ...childrenOf(node).flatMap((child) => mutationsOf(child, visible))];
  return [...new Set(changed.filter((name) => visible.includes(name)))];
}

/** The names that a function declares, its parameters included; deeper functions' names too, which errs on the mild side. */
export function localsOf(node: Syntax): string[] {
  if (!/Function/.test(node.type)) return [];
  const declared = everyNode(node).filter(({ type }) => type === 'VariableDeclarator');
  const patterns = [node['params'], ...declared.map(({ id }) => id)].flat().filter(isSyntax);
  return patterns.flatMap(everyNode).flatMap((part) => nameOf(part) ?? []);
}

/** The name at the root of what an expression assigns to, deletes or fills. */
function changedBy(node: Syntax): string | undefined {
  if (node.type === 'AssignmentExpression') return memberRoot(node['left']);
  if (node.type === 'UpdateExpression') return memberRoot(node['argument']);
  if (node.type === 'UnaryExpression') return node['operator'] === 'delete' ? memberRoot(node['argument']) : undefined;
  if (node.type !== 'CallExpression') return undefined;
  const callee = bare(node['callee']);
  if (callee === undefined || !isSyntax(callee['property'])) return undefined;
  const method = nameOf(callee['property']) ?? '';
  if (method === 'assign' && rootOf(callee) === 'Object') return rootOf((node['arguments'] as unknown[])[0]);
  return MUTATORS.includes(method) ? rootOf(callee) : undefined;
}

function memberRoot(node: unknown): string | undefined {
  return bare(node)?.type === 'MemberExpression' ? rootOf(node) : undefined;
}
