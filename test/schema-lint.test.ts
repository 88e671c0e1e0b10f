import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { buildSchema, concatAST, type DocumentNode, Kind, parse, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FILES = globSync('schema/*.graphql', { cwd: ROOT }).sort();
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const eslint = new ESLint({ cwd: ROOT });

/** The rules that `file` breaks once `planted` stands at its end. */
async function rulesBroken(file: string, planted: string): Promise<string[]> {
  const results = await eslint.lintText(`${read(file)}\n${planted}`, { filePath: join(ROOT, file) });
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message));
}

/** The names of types that are defined more than once, in whatever files. */
function typesDefinedTwice(document: DocumentNode): string[] {
  const names = document.definitions.flatMap((definition) =>
    definition.kind.endsWith('TypeDefinition') && 'name' in definition && definition.name?.kind === Kind.NAME
      ? [definition.name.value]
      : [],
  );
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe('the schema lint', () => {
  it.each(FILES)('finds no fault in %s', async (file) => {
    expect(await rulesBroken(file, '')).toEqual([]);
  });

  it.each([
    ['a field without a description', '"X." type XPayload { a: Int }', 'require-description'],
    ['a type without a description', 'type XPayload { "A." a: Int }', 'require-description'],
    ['an argument without a description', '"X." type XPayload { "A." a(b: Int): Int }', 'require-description'],
    ['an enum value without a description', '"X." enum X { A }', 'require-description'],
    ['a directive without a description', 'directive @x on FIELD_DEFINITION', 'require-description'],
    ['a field in snake case', '"X." type XPayload { "A." a_b: Int }', 'naming-convention'],
    ['an input type of another name', '"X." input X { "A." a: Int }', 'naming-convention'],
    ['a type without an id', '"X." type X { "A." a: Int }', 'strict-id-in-types'],
    ['a list with holes', '"X." type XPayload { "A." a: [Int] }', 'no-restricted-syntax'],
    ['a root field that is never null', 'extend type Query { "X." x: Rule! }', 'require-nullable-result-in-root'],
    ['a mutation without a payload', 'extend type Mutation { "X." x: Rule }', 'no-restricted-syntax'],
    ['a connection without a cursor', 'extend type Query { "X." x: FormConnection }', 'relay-arguments'],
  ])('catches %s', async (_fault, planted, rule) => {
    expect(await rulesBroken('schema/rule.graphql', planted)).toContainEqual(expect.stringContaining(rule));
  });
});

describe('the schema', () => {
  it('is valid as a whole', () => {
    expect(validateSchema(buildSchema(FILES.map(read).join('\n')))).toEqual([]);
  });

  it('defines every type in one file only, since the lint and the loader would merge two', () => {
    expect(typesDefinedTwice(concatAST(FILES.map((file) => parse(read(file)))))).toEqual([]);
    expect(typesDefinedTwice(parse('type A { a: Int } type B { b: Int } type A { c: Int }'))).toEqual(['A']);
  });
});
