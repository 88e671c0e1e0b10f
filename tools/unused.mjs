/**
 * Prints what nobody uses in `src`, a line each: exports that no other file names, and members of types and classes that nothing
 * reads. `node tools/unused.mjs [FOLDER]`: the folder has `src` and `tsconfig.json`, and is the repository's root by default.
 *
 * It goes by the compiler's references. A member that is read only through another type with a member of that name counts as unused, and
 * so does what only tests or users' modules read: a line is a place to look. `test/main/features.test.ts` compares the lines with and
 * without a feature: what only then is unused, the core has for that feature alone.
 */
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = process.argv[2] ?? join(import.meta.dirname, '..');

const MEMBERS = [ts.isPropertySignature, ts.isMethodSignature, ts.isPropertyDeclaration, ts.isMethodDeclaration];
const OWNERS = [ts.isInterfaceDeclaration, ts.isTypeLiteralNode, ts.isClassDeclaration];
/** Declarations that another file names, or that are read. */
const used = new Set();

const program = createProgram();
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter((file) => file.fileName.startsWith(join(ROOT, 'src/')));
for (const file of sources) noteUses(file);
for (const file of sources.filter(({ fileName }) => !fileName.includes('__generated__'))) {
  for (const name of [...unusedExports(file), ...unusedMembers(file)]) {
    process.stdout.write(`${relative(ROOT, file.fileName)} ${name}\n`);
  }
}

function createProgram() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  return ts.createProgram(
    globSync('src/**/*.ts', { cwd: ROOT }).map((file) => join(ROOT, file)),
    options,
  );
}

function noteUses(node) {
  if (ts.isPropertyAccessExpression(node) && !isAssigned(node)) use(checker.getSymbolAtLocation(node.name));
  else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) useBinding(node);
  else if (ts.isIndexedAccessTypeNode(node)) useIndexed(node);
  else if (ts.isImportSpecifier(node)) {
    const symbol = checker.getSymbolAtLocation(node.propertyName ?? node.name);
    use(symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  }
  ts.forEachChild(node, noteUses);
}

function use(symbol) {
  for (const declaration of symbol?.declarations ?? []) used.add(declaration);
}

function isAssigned(node) {
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  );
}

/** `{ name }`, or `{ …, ...rest }`, which reads whatever is left. */
function useBinding(node) {
  const name = node.propertyName ?? node.name;
  if (node.dotDotDotToken) for (const member of checker.getTypeAtLocation(node).getProperties()) use(member);
  else if (ts.isIdentifier(name)) use(checker.getTypeAtLocation(node.parent).getProperty(name.text));
}

/** `Type['member']`. */
function useIndexed({ objectType, indexType }) {
  if (!ts.isLiteralTypeNode(indexType) || !ts.isStringLiteral(indexType.literal)) return;
  use(checker.getTypeAtLocation(objectType).getProperty(indexType.literal.text));
}

function unusedExports(file) {
  const symbol = checker.getSymbolAtLocation(file);
  const exported = symbol ? checker.getExportsOfModule(symbol) : [];
  return exported
    .filter(({ declarations = [] }) => !declarations.some((declaration) => used.has(declaration)))
    .map(({ name }) => `export ${name}`);
}

function* unusedMembers(node) {
  if (isMember(node) && !used.has(node)) yield `member ${ownerOf(node)}.${node.name.getText()}`;
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* unusedMembers(child);
}

function isMember(node) {
  return MEMBERS.some((isOne) => isOne(node)) && OWNERS.some((isOne) => isOne(node.parent));
}

/** The nearest name around a member. */
function ownerOf({ parent }) {
  if (!parent) return '';
  return parent.name && ts.isIdentifier(parent.name) ? parent.name.text : ownerOf(parent);
}
