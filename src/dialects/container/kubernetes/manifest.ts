import type { JsonObject } from '../../../core/json.ts';
import { type Container, DEFAULT_MEMORY, type KubernetesConfig } from '../config.ts';

/** Where a pod finds the params of its call: a pod has no standard input. */
export const PARAMS_FILE = '/gleitzeit/params.json';

export type JobParts = {
  readonly name: string;
  readonly task_id: string;
  readonly image: string;
  readonly inside: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whole seconds after which the cluster itself ends the job; null for never. */
  readonly deadline_s: number | null;
};

/** Names of objects in a cluster are those of hosts: small letters, digits and hyphens, 63 at most. */
export function jobName(call_id: string, attempt: number): string {
  const plain = call_id.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
  const room = 63 - String(attempt).length - 1;
  return `${`gleitzeit-${plain}`.slice(0, room).replace(/-+$/, '')}-${attempt}`;
}

function labels(task_id: string): JsonObject {
  return {
    'app.kubernetes.io/managed-by': 'gleitzeit',
    'gleitzeit.task': task_id.replaceAll(/[^A-Za-z0-9_.-]/g, '-').slice(0, 63),
  };
}

/** What the container is told in confidence, and its params: variables of a manifest can be read by many. */
export function secretManifest({ name, task_id, env }: JobParts, params: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: labels(task_id) },
    type: 'Opaque',
    stringData: { 'params.json': params, ...env },
  };
}

/** With the job goes what belongs to it. */
export function ownedBy(name: string, uid: string): JsonObject {
  return {
    metadata: {
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, blockOwnerDeletion: true }],
    },
  };
}

const LEFT_FOR_S = 300;

/** Attempts are counted by us: the cluster tries a job once. */
export function jobManifest(parts: JobParts, config: Container, kubernetes: KubernetesConfig): JsonObject {
  const { name, task_id, deadline_s } = parts;
  const { service_account } = kubernetes;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: labels(task_id) },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: LEFT_FOR_S,
      ...(deadline_s === null ? {} : { activeDeadlineSeconds: deadline_s }),
      template: {
        metadata: { labels: labels(task_id) },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: service_account !== undefined,
          enableServiceLinks: false,
          ...(service_account === undefined ? {} : { serviceAccountName: service_account }),
          terminationGracePeriodSeconds: Math.ceil(config.grace ?? 5),
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          containers: [container(parts, config)],
          volumes: [
            {
              name: 'params',
              secret: { secretName: name, items: [{ key: 'params.json', path: 'params.json' }] },
            },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  };
}

const pulls = { missing: 'IfNotPresent', always: 'Always', never: 'Never' };

function container({ name, image, inside, env }: JobParts, config: Container): JsonObject {
  const { limits = {}, read_only = true, pull = 'missing', workdir, user } = config;
  const amounts: JsonObject = {
    memory: String(limits.memory ?? DEFAULT_MEMORY),
    ...(limits.cpus === undefined ? {} : { cpu: String(limits.cpus) }),
  };
  const [uid, gid] = user?.split(':') ?? [];
  return {
    name: 'call',
    image,
    imagePullPolicy: pulls[pull],
    ...(inside.length === 0 ? {} : { command: [...inside] }),
    ...(workdir === undefined ? {} : { workingDir: workdir }),
    env: [
      { name: 'GLEITZEIT_PARAMS_FILE', value: PARAMS_FILE },
      ...Object.keys(env).map((key) => ({ name: key, valueFrom: { secretKeyRef: { name, key } } })),
    ],
    resources: { limits: amounts, requests: amounts },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: read_only,
      ...(uid === undefined ? {} : { runAsUser: Number(uid) }),
      ...(gid === undefined ? {} : { runAsGroup: Number(gid) }),
    },
    volumeMounts: [
      { name: 'params', mountPath: '/gleitzeit', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}
