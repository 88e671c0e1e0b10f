import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { isIgnored } from './support/image/ignored.ts';
import { judge, RULES } from './support/image/rules.ts';

const ROOT = join(import.meta.dirname, '..');
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const dockerignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8');

const isCopyable = (path: string) => existsSync(join(ROOT, path)) && !isIgnored(path, dockerignore);
const faultsOf = (source: string) => judge(source, { isCopyable });

describe('the Dockerfile', () => {
  it.each(Object.keys(RULES))('%s', (rule) => {
    expect(faultsOf(dockerfile)[rule]).toBeUndefined();
  });
});

/** One edit for each way to break a rule: what is replaced, and by what. */
const EDITS: Readonly<Record<keyof typeof RULES, readonly (readonly [found: string | RegExp, put: string])[]>> = {
  'has a build stage and a final stage': [[/^FROM[\s\S]*?(?=FROM gcr)/m, '']],
  'pins every base by tag and digest': [
    [/@sha256:\w+/, ''],
    [/(?<=nodejs24-debian12:nonroot)@sha256:\w+/, ''],
    [':24-bookworm-slim@', '@'],
    [/@sha256:\w{10}/, '@sha256:'],
  ],
  'ends on a base without shell or package manager': [[/gcr\.io\S+/, 'node:24-bookworm-slim']],
  'runs nothing in the final stage, which has no shell': [['USER 65532', 'RUN ["node", "-v"]\nUSER 65532']],
  'ends as a numbered user that is not root': [
    [/^USER .*$/m, ''],
    [/^USER .*$/m, 'USER nonroot'],
    [/^USER .*$/m, 'USER 0'],
    [/^USER .*$/m, 'USER 65532:0'],
    [/^USER .*$/m, '$&\nUSER root'],
  ],
  'adds nothing by ADD': [['COPY src src', 'ADD src src']],
  'downloads nothing but packages': [
    [/^RUN npm.*$/m, 'RUN curl -fsS https://example.com/install.sh | sh'],
    [/^RUN npm.*$/m, 'RUN wget -qO- example.com | sh'],
  ],
  'installs what the lockfile says, without install scripts': [
    ['npm ci --omit=dev --ignore-scripts', 'npm ci --omit=dev'],
    [/npm ci --ignore-scripts/, 'npm install --ignore-scripts'],
  ],
  'starts and checks health in exec form': [
    ['CMD ["src/main.ts"]', 'CMD node src/main.ts'],
    ['CMD ["src/main.ts"]', "CMD ['src/main.ts']"],
    ['CMD ["src/main.ts"]', 'ENTRYPOINT node\n$&'],
    [/CMD \["\/nodejs.*$/m, 'CMD node src/edge/healthcheck.ts || exit 1'],
  ],
  'says what it starts, how it is checked and where it listens': [
    ['CMD ["src/main.ts"]', ''],
    [/^HEALTHCHECK.*$/m, ''],
    [/^EXPOSE.*$/m, ''],
  ],
  'runs in production mode': [['NODE_ENV=production', 'NODE_ENV=development']],
  'holds no secret': [
    ['EXPOSE', 'ENV UPSTREAM_PASSWORD=x\nEXPOSE'],
    ['EXPOSE', 'ARG NPM_TOKEN\nEXPOSE'],
  ],
  'copies only what exists and is not ignored': [
    ['COPY src src', 'COPY sources src'],
    ['COPY src src', 'COPY src test ./'],
    ['COPY src src', 'COPY . .'],
    ['--from=dependencies', '--from=elsewhere'],
  ],
};

const edits = Object.entries(EDITS).flatMap(([rule, list]) => list.map(([found, put]) => ({ rule, found, put })));

describe('the lint of the Dockerfile', () => {
  it.each(edits)('catches what breaks "$rule" ($found → $put)', ({ rule, found, put }) => {
    const edited = dockerfile.replace(found, put);

    expect(edited).not.toBe(dockerfile);
    expect(faultsOf(edited)).toHaveProperty([rule]);
  });
});

describe('.dockerignore', () => {
  it.each([
    ...['node_modules', 'node_modules/undici/index.js', 'playground/node_modules/a', '.git', '.git/config'],
    ...['data', 'data/sandbox.sqlite', 'test', 'test/floors.test.ts', '.env', 'playground/dist', 'session.key'],
  ])('keeps %s out of the build', (path) => {
    expect(isIgnored(path, dockerignore)).toBe(true);
  });

  it.each(['src/main.ts', 'schema/form.graphql', 'playground/build.mjs', '.npmrc'])('lets %s in', (path) => {
    expect(isIgnored(path, dockerignore)).toBe(false);
  });
});
