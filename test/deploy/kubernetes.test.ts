import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { projectRoot } from '../../scripts/source/files.ts';
import { type Container, decode, type Manifest } from './kubernetes/decode.ts';

const source = readFileSync(join(projectRoot, 'deploy/kubernetes.yaml'), 'utf8');
const { manifests, problems } = decode(source);

const named = (kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
const withPods = manifests.filter(({ spec }) => spec?.template !== undefined);
const labelsOf = ({ spec }: Manifest) => spec?.template?.metadata.labels ?? {};
const containersOf = ({ spec }: Manifest) => spec?.template?.spec.containers ?? [];
const matches = (selector: object | undefined, labels: Readonly<Record<string, string>>) =>
  Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value);

describe('the strict decoder', () => {
  const changed = (from: string, to: string) => {
    expect(source).toContain(from);
    return decode(source.replace(from, to)).problems.join('\n');
  };

  it.each([
    ['an unknown key', 'enableServiceLinks: false', 'enableServiceLink: false', 'enableServiceLink'],
    ['a key twice', '  replicas: 2\n', '  replicas: 2\n  replicas: 3\n', 'unique'],
    ['a number as text', 'containerPort: 8000', 'containerPort: "8000"', 'must be integer'],
    ['a value that is no text', 'value: "1" }', 'value: 1 }', 'must be string'],
    ['an older version of a kind', 'autoscaling/v2', 'autoscaling/v1', 'must be equal to one of'],
    ['a kind with secrets in it', 'kind: ConfigMap', 'kind: Secret', 'no kind of ours: Secret'],
    ['an image without a version', 'image: postgres:17', 'image: postgres', 'must match pattern'],
    ['a key in the wrong place', '  serviceName: kafka\n', '', 'serviceName'],
    ['an amount that is none', 'memory: 512Mi', 'memory: 512MB', 'must match pattern'],
  ])('finds %s', (_, from, to, told) => {
    expect(changed(from, to)).toContain(told);
  });
});

describe('deploy/kubernetes.yaml', () => {
  it('is decoded without a problem', () => {
    expect(problems).toEqual([]);
    expect(manifests.length).toBe(parseAllDocuments(source).length);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has selectors that find their pods', () => {
    for (const manifest of withPods)
      expect(matches(manifest.spec?.selector?.matchLabels, labelsOf(manifest)), manifest.metadata.name).toBe(
        true,
      );
    for (const manifest of manifests.filter(({ kind }) =>
      ['Service', 'PodDisruptionBudget'].includes(kind),
    )) {
      const { selector } = manifest.spec ?? {};
      const wanted = manifest.kind === 'Service' ? selector : selector?.matchLabels;
      expect(withPods.filter((pods) => matches(wanted, labelsOf(pods))).length, manifest.metadata.name).toBe(
        1,
      );
    }
  });

  it('has services whose ports are there', () => {
    for (const { spec, metadata } of manifests.filter(({ kind }) => kind === 'Service')) {
      const pods = withPods.filter((manifest) => matches(spec?.selector, labelsOf(manifest)));
      const ports = pods.flatMap(containersOf).flatMap((container) => container.ports ?? []);
      for (const { targetPort } of spec?.ports ?? [])
        expect(
          ports.map(({ name }) => name),
          metadata.name,
        ).toContain(targetPort);
    }
  });

  it('refers only to what is there', () => {
    for (const { metadata, spec } of withPods) {
      const { volumes = [], containers = [] } = spec?.template?.spec ?? {};
      const claims = (spec?.volumeClaimTemplates ?? []).map((claim) => claim.metadata.name);
      const known = [...claims, ...volumes.map(({ name }) => name)];
      const mounted = containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
      expect(new Set(mounted), metadata.name).toEqual(new Set(known));
      for (const { configMap } of volumes)
        if (configMap !== undefined) expect(named('ConfigMap', configMap.name)).toBeDefined();
      if (spec?.serviceName !== undefined) expect(named('Service', spec.serviceName)).toBeDefined();
    }
    for (const { spec } of manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')) {
      const target = named(spec?.scaleTargetRef?.kind ?? '', spec?.scaleTargetRef?.name ?? '');
      expect(target).toBeDefined();
      // Whoever scales it says how many there are.
      expect(target?.spec?.replicas).toBeUndefined();
    }
  });

  it('takes whatever is secret from the Secret, all of whose keys the guide makes', () => {
    const variables = withPods.flatMap(containersOf).flatMap(({ env = [] }) => env);
    const keys = variables.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []);
    const guide = readFileSync(join(projectRoot, 'docs/how-to/run-on-kafka.md'), 'utf8');
    for (const { name, key } of keys) {
      expect(name).toBe('gleitzeit');
      expect(guide).toContain(`--from-literal=${key}=`);
    }
    const open = variables.filter(({ name, value }) => /PASSWORD|SECRET|KEY|STORE_URL/.test(name) && value);
    expect(open).toEqual([]);
  });

  it('has the same configuration as docker-compose.yml, but for names of hosts', () => {
    const mounted = parse(readFileSync(join(projectRoot, 'deploy/gleitzeit.yaml'), 'utf8'));
    const own = parse(named('ConfigMap', 'gleitzeit')?.data?.['gleitzeit.yaml'] ?? '');
    expect({ ...own.server, allowed_hosts: [] }).toEqual({ ...mounted.server, allowed_hosts: [] });
  });

  it('starts containers as docker-compose.yml does, with the same variables', () => {
    const compose = parse(readFileSync(join(projectRoot, 'deploy/docker-compose.yml'), 'utf8'), {
      merge: true,
    });
    const containers = new Map(
      withPods.flatMap(containersOf).map((container) => [container.name, container] as const),
    );
    const variablesOf = (container: Container | undefined) =>
      (container?.env ?? []).map(({ name }) => name).filter((name) => name !== 'PGDATA');
    for (const name of ['engine', 'bridge', 'kafka', 'postgres']) {
      const container = containers.get(name);
      const service = compose.services[name];
      expect([container?.image, container?.args], name).toEqual([service.image, service.command]);
      expect(variablesOf(container).sort(), name).toEqual(Object.keys(service.environment).sort());
    }
  });
});
