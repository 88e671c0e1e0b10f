/**
 * Lists unused code in `src`, one line each: exports that no other file names, and members of types
 * and classes that are never read. A second list has the code outside the features that only one
 * feature uses, so it becomes unused when that feature's folder is deleted. `node tools/unused.mjs`
 * prints both lists, `node tools/unused.mjs FEATURE` the lines for one feature.
 *
 * It follows the compiler's references, so each line is a hint and may be wrong: a member that is
 * read only through another type counts as unused, and so does code that only tests use. Members of
 * resolvers' parents count as used if a GraphQL field reads them. Modules that `package.json`
 * exports are skipped.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const MEMBERS = [
  ts.isPropertySignature,
  ts.isMethodSignature,
  ts.isPropertyDeclaration,
  ts.isMethodDeclaration,
];
const OWNERS = [ts.isInterfaceDeclaration, ts.isTypeLiteralNode, ts.isClassDeclaration];
const isGenerated = ({ fileName }) => fileName.includes('__generated__');

/** The features that use a declaration. `undefined` stands for the rest of `src`. */
const users = new Map();
/** The feature of the current file, or `undefined` for the rest of `src`. */
let reader;

const program = createProgram();
const checker = program.getTypeChecker();
const sources = program
  .getSourceFiles()
  .filter((file) => file.fileName.startsWith(join(ROOT, 'src/')));

/**
 * Returns the lines of both lists. `place` is a file's path and the declaration, `feature` the only
 * feature that uses it, if there is one.
 */
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
        const usedBy = new Set(
          declarations.flatMap((declaration) => [...(users.get(declaration) ?? [])]),
        );
        const [feature] = usedBy;
        // Code inside a feature is deleted with it, so it may have one user.
        const mayHaveOneUser = owner !== undefined || feature === undefined;
        const isUsed = usedBy.size > 1 || (usedBy.size === 1 && mayHaveOneUser);
        return isUsed ? [] : { place: `${path} ${name}`, feature };
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
  if (ts.isPropertyAccessExpression(node) && !isAssigned(node))
    use(checker.getSymbolAtLocation(node.name));
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
    const usedBy = users.get(declaration) ?? new Set();
    users.set(declaration, usedBy.add(reader));
  }
}

function isAssigned(node) {
  const { parent } = node;
  if (!ts.isBinaryExpression(parent) || parent.left !== node) return false;
  return parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

/** Notes the use in `{ name }`, or in `{ …, ...rest }`, which reads every member. */
function useBinding(node) {
  const name = node.propertyName ?? node.name;
  if (node.dotDotDotToken)
    for (const member of checker.getTypeAtLocation(node).getProperties()) use(member);
  else if (ts.isIdentifier(name))
    use(checker.getTypeAtLocation(node.parent).getProperty(name.text));
}

/** Notes the use in `Type['member']`. */
function useIndexed({ objectType, indexType }) {
  if (!ts.isLiteralTypeNode(indexType) || !ts.isStringLiteral(indexType.literal)) return;
  use(checker.getTypeAtLocation(objectType).getProperty(indexType.literal.text));
}

/** Notes default resolvers: a field without a resolver reads the member with its name. */
function noteDefaultResolvers(file) {
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file));
  const types = new Map(exported.map((type) => [type.name, type]));
  const parents = checker
    .getDeclaredTypeOfSymbol(types.get('ResolversParentTypes'))
    .getProperties();
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
  if (isMember(node))
    yield { name: `member ${ownerOf(node)}.${node.name.getText()}`, declarations: [node] };
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* membersOf(child);
}

function isMember(node) {
  return MEMBERS.some((isKind) => isKind(node)) && OWNERS.some((isKind) => isKind(node.parent));
}

/** Returns the names of the types around a member, joined by dots. */
function ownerOf({ parent }) {
  if (!parent || ts.isSourceFile(parent)) return '';
  const name = parent.name && ts.isIdentifier(parent.name) ? parent.name.text : '';
  return [ownerOf(parent), name].filter(Boolean).join('.');
}
