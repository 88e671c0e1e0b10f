import { mutationsOf } from './mutations.ts';
import type { ParsedFile } from './source.ts';
import { bare, everyNode, isSyntax, nameOf, type Syntax, statementsOf } from './syntax.ts';

/** A process of its own: its top level is what runs, and it alone reads the environment. */
const PROCESSES = ['main.ts', 'edge/healthcheck.ts'];

const DECLARATIONS = [
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ExportNamedDeclaration',
  'FunctionDeclaration',
  'VariableDeclaration',
  'ClassDeclaration',
  'TSDeclareFunction',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
];

/** Classes whose objects remember nothing. */
const STATELESS = ['RegExp', 'URL', 'TextEncoder', 'TextDecoder', 'GraphQLScalarType', 'Intl'];

/** Calls that make something with a life: a client, a logger, a server. */
const MAKER = /^(create|make|open|connect|start)[A-Z]|^(pino|fastify|Fastify)$/;

/** State and effects at the top level of a file: nothing lives longer than what `main.ts` made. */
export function moduleState(files: readonly ParsedFile[]): string[] {
  return files
    .filter(({ file }) => !PROCESSES.includes(file))
    .flatMap(({ file, program }) => topLevelFaults(program).map((fault) => `${file}: ${fault}`));
}

/** Files that read the environment: `process.env`, or `node:process` by another name. */
export function environmentReaders(files: readonly ParsedFile[]): string[] {
  const isReading = ({ nodes, imports }: ParsedFile) =>
    imports.some(({ target, isTypeOnly }) => /^(node:)?process$/.test(target ?? '') && !isTypeOnly) ||
    nodes.some(
      (node) => node.type === 'MemberExpression' && isProcess(node['object']) && nameOf(node['property']) === 'env',
    ) ||
    nodes.some((node) => node.type === 'VariableDeclarator' && isProcess(node['init']) && hasEnv(node['id']));
  return files.filter((file) => !PROCESSES.includes(file.file) && isReading(file)).map(({ file }) => file);
}

function isProcess(node: unknown): boolean {
  const inner = bare(node);
  return nameOf(inner) === 'process' || (inner?.type === 'MemberExpression' && nameOf(inner['property']) === 'process');
}

/** Whether a pattern such as `{ env }` takes the environment out. */
const hasEnv = (pattern: unknown) => isSyntax(pattern) && everyNode(pattern).some((node) => nameOf(node) === 'env');

function topLevelFaults(program: Syntax): string[] {
  const statements = statementsOf(program);
  const variables = statements.filter(({ type }) => type === 'VariableDeclaration');
  const names = variables.flatMap(declaratorsOf).flatMap(({ id }) => nameOf(id) ?? []);
  return [
    ...statements.filter(({ type }) => !DECLARATIONS.includes(type)).map(({ type }) => `runs a ${type}`),
    ...variables.filter(({ kind }) => kind !== 'const').map(({ kind }) => `has a ${String(kind)}`),
    ...variables
      .flatMap(declaratorsOf)
      .filter(holdsState)
      .map(({ id }) => `${nameOf(id)} holds state`),
    ...statements.filter(({ type }) => type === 'ClassDeclaration').flatMap(staticFields),
    ...mutationsOf(program, names).map((name) => `${name} is changed`),
  ];
}

const declaratorsOf = ({ declarations }: Syntax) => declarations as Syntax[];

function staticFields(node: Syntax): string[] {
  const fields = everyNode(node).filter(
    ({ type, static: isStatic }) => type === 'PropertyDefinition' && isStatic === true,
  );
  return fields.map(({ key }) => `static ${nameOf(key)} holds state`);
}

function holdsState({ id, init }: Syntax): boolean {
  const value = bare(init);
  if (value === undefined) return true;
  if (value.type === 'ArrayExpression') return isEmpty(value['elements']) && !isReadonly(id, init);
  if (value.type === 'ObjectExpression') return isEmpty(value['properties']) && !isReadonly(id, init);
  if (value.type === 'NewExpression') return !isTable(value) && !STATELESS.includes(calleeOf(value));
  return value.type === 'CallExpression' && isMaking(value);
}

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;

/** Whether a declaration says that nothing will be put in: `as const`, `readonly X[]`, `Readonly…<…>`. */
function isReadonly(id: unknown, init: unknown): boolean {
  const types = [id, init].filter(isSyntax).flatMap(everyNode);
  return types.some(
    ({ type, operator, typeName }) =>
      (type === 'TSTypeOperator' && operator === 'readonly') ||
      (type === 'TSTypeReference' && /^(const|Readonly\w*)$/.test(nameOf(typeName) ?? '')),
  );
}

/** A set or map that is full where it is made. */
function isTable(value: Syntax): boolean {
  const [content] = value['arguments'] as unknown[];
  return ['Set', 'Map'].includes(calleeOf(value)) && content !== undefined && !isEmpty(bare(content)?.['elements']);
}

function isMaking(call: Syntax): boolean {
  const isCalledAtOnce = /Function/.test(bare(call['callee'])?.type ?? '');
  return isCalledAtOnce || MAKER.test(calleeOf(call)) || calleeOf(call) === 'Object.create';
}

/** A callee's name: of `Intl.NumberFormat` the namespace, of `Object.create` the whole. */
function calleeOf({ callee }: Syntax): string {
  const inner = bare(callee);
  if (inner?.type !== 'MemberExpression') return nameOf(inner) ?? '';
  const owner = nameOf(inner['object']) ?? '';
  return owner === 'Object' ? `${owner}.${nameOf(inner['property'])}` : owner;
}
