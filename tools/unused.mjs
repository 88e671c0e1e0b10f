/**
 * Lists what nobody uses in `src`, a line each: exports that no other file names, and members of types and classes that nothing
 * reads. A second list has what the rest of `src` keeps for one feature alone, so that nobody uses it once the feature's folder is
 * deleted: `node tools/unused.mjs [FEATURE]` prints both, or what is kept for this feature.
 *
 * It goes by the compiler's references. A member that is read only through another type with a member of that name counts as unused, and
 * so does what only tests read: a line is a place to look. Resolvers' parents are read by the fields of their GraphQL type, and the
 * modules that `package.json` exports by other packages.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const MEMBERS = [ts.isPropertySignature, ts.isMethodSignature, ts.isPropertyDeclaration, ts.isMethodDeclaration];
const OWNERS = [ts.isInterfaceDeclaration, ts.isTypeLiteralNode, ts.isClassDeclaration];
const isGenerated = ({ fileName }) => fileName.includes('__generated__');

/** For each declaration that another file names or that is read: the features that do, `undefined` for the rest of `src`. */
const users = new Map();
/** The feature whose file is read; `undefined` for the rest of `src`. */
let reader;

const program = createProgram();
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter((file) => file.fileName.startsWith(join(ROOT, 'src/')));

/** The lines of the lists: `place` is a file's path and what is declared there, `feature` the only one that uses it, if any. */
export function findUnused() {
  for (const file of sources) {
    reader = featureOf(file);
    noteUses(file);
    if (isGenerated(file)) noteDefaultResolvers(file);
  }
  const entries = new Set(entryPoints());
  return sources
    .filter((file) => !isGenerated(file) && !entries.has(file.fileName))
    .flatMap((file) => {
      const owner = featureOf(file);
      const path = relative(ROOT, file.fileName);
      return [...exportsOf(file), ...membersOf(file)].flatMap(({ name, declarations }) => {
        const found = new Set(declarations.flatMap((declaration) => [...(users.get(declaration) ?? [])]));
        const [feature] = found;
        // A feature's own is deleted with it.
        const isUsed = found.size > 0 && (owner !== undefined || found.size > 1 || feature === undefined);
        if (isUsed) return [];
        return { place: `${path} ${name}`, feature };
      });
    });
}

if (import.meta.main) {
  const [, , feature] = process.argv;
  for (const { place, feature: user } of findUnused()) {
    if (feature === undefined || feature === user)
      process.stdout.write(`${place}${user ? `, only for ${user}` : ''}\n`);
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
  for (const declaration of symbol?.declarations ?? []) {
    const found = users.get(declaration) ?? new Set();
    users.set(declaration, found.add(reader));
  }
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

/** A field without a resolver reads the member of its name. */
function noteDefaultResolvers(file) {
  const types = new Map(checker.getExportsOfModule(checker.getSymbolAtLocation(file)).map((type) => [type.name, type]));
  const parents = checker.getDeclaredTypeOfSymbol(types.get('ResolversParentTypes')).getProperties();
  for (const parent of parents) {
    const fields = types.get(`${parent.name}Resolvers`);
    if (!fields) continue;
    const type = checker.getTypeOfSymbol(parent);
    for (const { name } of checker.getDeclaredTypeOfSymbol(fields).getProperties())
      use(checker.getPropertyOfType(type, name));
  }
}

function featureOf({ fileName }) {
  return /\/src\/features\/([^/]+)\//.exec(fileName)?.[1];
}

function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.values(exports)
    .flatMap((entry) => entry['caseway-source'] ?? [])
    .map((path) => join(ROOT, path));
}

function exportsOf(file) {
  const symbol = checker.getSymbolAtLocation(file);
  const exported = symbol ? checker.getExportsOfModule(symbol) : [];
  return exported.map(({ name, declarations = [] }) => ({ name: `export ${name}`, declarations }));
}

function* membersOf(node) {
  if (isMember(node)) yield { name: `member ${ownerOf(node)}.${node.name.getText()}`, declarations: [node] };
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* membersOf(child);
}

function isMember(node) {
  return MEMBERS.some((isOne) => isOne(node)) && OWNERS.some((isOne) => isOne(node.parent));
}

/** The names around a member, as `Interface.member`. */
function ownerOf({ parent }) {
  if (!parent || ts.isSourceFile(parent)) return '';
  const own = parent.name && ts.isIdentifier(parent.name) ? parent.name.text : '';
  return [ownerOf(parent), own].filter(Boolean).join('.');
}
