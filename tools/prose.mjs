/**
 * Counts hard constructions in comments and pages, and fails if a folder has more than its budget:
 * `node tools/prose.mjs [--show] [PATH…]`. `--show` lists every place with advice.
 *
 * The patterns find phrases that readers often have to read twice. They do not find every hard
 * sentence, and a match may be right where it is. So the aim is a few, not zero.
 */
import { globSync, readFileSync } from 'node:fs';

/** The highest number of hard constructions per 1,000 words. */
const AIM = 3;

/** Words that follow "what" or "who" in a clause that stands in place of a noun. */
const CLAUSE_WORDS = [
  'is|are|was|were|has|have|does|do|may|can|comes?|came',
  'it|they|he|she|one|a|the|others?|nobody|everybody',
].join('|');

/** Folders of generated files and packages. */
const SKIPPED = ['node_modules', 'dist', 'coverage', '__generated__'];

const RULES = [
  {
    advice: 'begin with the result for the caller: Returns, Creates, Reads, Checks',
    pattern: /(?:\*|\/\/)\s+(?:Gives|Makes)\b/g,
  },
  {
    advice: 'begin with a verb or a noun instead of a relative clause',
    pattern: /\/\*\*\s*(?:\n\s*\*\s*)?(?:What|Who(?:ever|m|se)?|Those|That|Where|Of|So)\b/g,
  },
  {
    advice: 'use a noun instead of the clause: the caller, the cached copy',
    pattern: phrases([`(?:what|who|whom|whoever) (?:${CLAUSE_WORDS})`]),
  },
  {
    advice: 'repeat the noun instead of the pronoun',
    pattern: phrases([
      '(?:that|those) of',
      'those (?:that|who|which)',
      '(?:of|that) which',
      "one's",
    ]),
  },
  {
    advice: 'leave the filler out, or name the amount',
    pattern: phrases([
      'so (?:many|long|often|much)',
      'such an?',
      'as (?:they come|it comes|it is|it was)',
      'all the same',
      'once more',
      'at all',
    ]),
  },
  {
    advice: 'state the condition, or name the person',
    pattern: phrases(['nobody', 'everybody', 'no one', 'none']),
  },
  {
    advice: 'data does not speak: it is read, sent or contained',
    pattern: phrases([
      '(?:is|are) (?:told|asked|said)',
      'tells',
      'says',
      'asks for',
      'speaks',
      'hears',
    ]),
  },
];

const args = process.argv.slice(2);
const isShown = args.includes('--show');
const groups = new Map();
for (const file of listFiles(args.filter((arg) => arg !== '--show'))) countFile(file);
for (const [group, counts] of [...groups].sort()) judge(group, counts);

/** Returns the hand-written files with comments or prose, below these paths or all. */
function listFiles(paths) {
  const files = globSync('**/*.{ts,tsx,mjs,js,md}', { exclude: [`**/{${SKIPPED.join(',')}}`] });
  const written = files.filter((file) => !/\.d\.[cm]?ts$/.test(file));
  if (paths.length === 0) return written;
  const folders = paths.map((path) => `${path.replace(/\/$/, '')}/`);
  return written.filter((file) => folders.some((folder) => `${file}/`.startsWith(folder)));
}

/** Adds a file to the counts of its group, and lists its matches if they are to be shown. */
function countFile(file) {
  const isPage = file.endsWith('.md');
  const text = readFileSync(file, 'utf8');
  const prose = isPage ? proseOf(text) : commentsOf(text);
  const counts = groups.get(groupOf(file, isPage)) ?? { words: 0, found: 0 };
  groups.set(groupOf(file, isPage), counts);
  counts.words += prose.match(/[A-Za-z][\w'’-]*/g)?.length ?? 0;
  for (const { advice, pattern } of RULES) {
    const matches = prose.match(pattern) ?? [];
    counts.found += matches.length;
    for (const match of isShown ? matches : []) print(`${file}: "${match.trim()}": ${advice}`);
  }
}

function groupOf(file, isPage) {
  if (file.includes('/')) return file.split('/')[0];
  return isPage ? 'pages' : 'root';
}

/** Returns the text of a page without its code. */
function proseOf(page) {
  return page.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, 'X');
}

/** Returns the text of all comments without the code in backticks. */
function commentsOf(code) {
  const comments = code.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm);
  return [...comments].map(([comment]) => comment.replace(/`[^`\n]*`/g, 'X')).join('\n');
}

/** Prints a group's rate, and makes the run fail if it is over the budget. */
function judge(group, { words, found }) {
  const rate = words === 0 ? 0 : (1_000 * found) / words;
  print(`${group}: ${rate.toFixed(1)} hard constructions per 1,000 words, budget ${AIM}`);
  // A rate says little about a few words.
  if (rate <= AIM || found <= AIM) return;
  process.exitCode = 1;
  print('  Over the budget. List them with: node tools/prose.mjs --show');
}

/** Returns a pattern that matches each of these phrases as whole words. */
function phrases(list) {
  return new RegExp(`\\b(?:${list.join('|')})\\b`, 'gi');
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
