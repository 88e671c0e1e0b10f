import { type Copy, type Dockerfile, DockerfileParser, type From, type Instruction } from 'dockerfile-ast';

/** What a Dockerfile is judged against. */
export interface Surroundings {
  /** Whether the build may copy a path: it exists in the checkout and is not ignored. */
  readonly isCopyable: (path: string) => boolean;
}

type RuleOf = (dockerfile: Dockerfile, surroundings: Surroundings) => readonly string[];

const FINAL_BASE = /^gcr\.io\/distroless\/nodejs24-debian12:nonroot@/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const SECRET = /PASSWORD|SECRET|TOKEN|CREDENTIALS|_KEY/;

/** What holds for the image: each rule gives the lines that break it. */
export const RULES = {
  'has a build stage and a final stage': (file) => (file.getFROMs().length > 1 ? [] : ['one stage only']),

  'pins every base by tag and digest': (file) =>
    basesOf(file)
      .filter((from) => !DIGEST.test(from.getImageDigest() ?? '') || !/:[^@]+@/.test(from.getImage() ?? ''))
      .map(textOf),

  'ends on a base without shell or package manager': (file) =>
    finalOf(file, 'FROM')
      .filter((from) => !FINAL_BASE.test((from as From).getImage() ?? ''))
      .map(textOf),

  'runs nothing in the final stage, which has no shell': (file) => finalOf(file, 'RUN').map(textOf),

  'ends as a numbered user that is not root': (file) => {
    const last = finalOf(file, 'USER').at(-1);
    return last !== undefined && /^[1-9]\d*(:[1-9]\d*)?$/.test(argumentsOf(last))
      ? []
      : [`user: ${last && textOf(last)}`];
  },

  'adds nothing by ADD': (file) => instructions(file, 'ADD').map(textOf),

  'downloads nothing but packages': (file) =>
    instructions(file, 'RUN')
      .filter((run) => /\b(curl|wget|https?:)/.test(argumentsOf(run)))
      .map(textOf),

  'installs what the lockfile says, without install scripts': (file) =>
    instructions(file, 'RUN')
      .filter((run) => /\bnpm\b/.test(argumentsOf(run)) && !/^npm ci .*--ignore-scripts/.test(argumentsOf(run)))
      .map(textOf),

  'starts and checks health in exec form': (file) => {
    const starts = ['CMD', 'ENTRYPOINT', 'HEALTHCHECK'].flatMap((keyword) => instructions(file, keyword));
    return starts.filter((start) => !isExecForm(start)).map(textOf);
  },

  'says what it starts, how it is checked and where it listens': (file) =>
    ['CMD', 'HEALTHCHECK', 'EXPOSE'].filter((keyword) => finalOf(file, keyword).length === 0),

  'runs in production mode': (file) =>
    finalOf(file, 'ENV').some((env) => argumentsOf(env).includes('NODE_ENV=production')) ? [] : ['NODE_ENV'],

  'holds no secret': (file) =>
    [...instructions(file, 'ENV'), ...instructions(file, 'ARG')]
      .filter((it) => SECRET.test(argumentsOf(it)))
      .map(textOf),

  'copies only what exists and is not ignored': (file, { isCopyable }) =>
    file
      .getCOPYs()
      .filter((copy) => !sourcesOf(copy).every((path) => isFromStage(copy, file) || isCopyable(path)))
      .map(textOf),
} as const satisfies Record<string, RuleOf>;

/** The names of the rules that a Dockerfile breaks, each with the lines at fault. */
export function judge(source: string, surroundings: Surroundings): Record<string, readonly string[]> {
  const file = DockerfileParser.parse(source);
  const faults = Object.entries<RuleOf>(RULES).map(([rule, linesOf]) => [rule, linesOf(file, surroundings)] as const);
  return Object.fromEntries(faults.filter(([, lines]) => lines.length > 0));
}

/** The paths that a COPY takes, as they are written. */
export function sourcesOf(copy: Copy): string[] {
  return copy
    .getArguments()
    .slice(0, -1)
    .map((argument) => argument.getValue());
}

/** The instructions of the final stage, by keyword. */
export function finalOf(file: Dockerfile, keyword: string): Instruction[] {
  const all = file.getInstructions();
  return all.slice(all.findLastIndex((it) => it.getKeyword() === 'FROM')).filter((it) => it.getKeyword() === keyword);
}

const textOf = (instruction: Instruction) => instruction.toString();
const argumentsOf = (instruction: Instruction) => instruction.getArgumentsContent() ?? '';
const stagesOf = (file: Dockerfile) => file.getFROMs().map((from) => from.getBuildStage());
const basesOf = (file: Dockerfile) => file.getFROMs().filter((from) => !stagesOf(file).includes(from.getImage()));

function instructions(file: Dockerfile, keyword: string): Instruction[] {
  return file.getInstructions().filter((it) => it.getKeyword() === keyword);
}

function isFromStage(copy: Copy, file: Dockerfile): boolean {
  return stagesOf(file).includes(copy.getFromFlag()?.getValue() ?? '');
}

function isExecForm(start: Instruction): boolean {
  const command = argumentsOf(start).replace(/^(--\S+\s+)*CMD\s+/, '');
  try {
    return Array.isArray(JSON.parse(command));
  } catch {
    return false;
  }
}
