import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../../core/json.ts';

type Metadata = { readonly name: string };
export type SecretManifest = {
  readonly metadata: Metadata;
  readonly stringData: Readonly<Record<string, string>>;
};
type Variable = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
};
export type JobManifest = {
  readonly metadata: Metadata;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          { readonly command?: readonly string[]; readonly env: readonly Variable[] },
        ];
      };
    };
  };
};

const name = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 };
const labels = {
  type: 'object',
  additionalProperties: {
    type: 'string',
    maxLength: 63,
    pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$',
  },
};
const metadata = { type: 'object', required: ['name', 'labels'], properties: { name, labels } };
const closed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const variable = closed(
  {
    name: { type: 'string', pattern: '^[-._a-zA-Z][-._a-zA-Z0-9]*$' },
    value: { type: 'string' },
    valueFrom: closed({ secretKeyRef: closed({ name, key: { type: 'string' } }, ['name', 'key']) }, [
      'secretKeyRef',
    ]),
  },
  ['name'],
);
const amounts = {
  type: 'object',
  additionalProperties: { type: 'string', pattern: '^[0-9.]+(m|[KMGT]i?)?$' },
};

/** The fields of batch/v1 and core/v1 that a call may use, as the reference of Kubernetes has them; no other is let through. */
const container = closed(
  {
    name,
    image: { type: 'string', minLength: 1 },
    imagePullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
    command: { type: 'array', items: { type: 'string' } },
    workingDir: { type: 'string' },
    env: { type: 'array', items: variable },
    resources: closed({ limits: amounts, requests: amounts }),
    securityContext: closed(
      {
        allowPrivilegeEscalation: { const: false },
        capabilities: closed({ drop: { const: ['ALL'] } }, ['drop']),
        readOnlyRootFilesystem: { type: 'boolean' },
        runAsUser: { type: 'integer' },
        runAsGroup: { type: 'integer' },
      },
      ['allowPrivilegeEscalation', 'capabilities', 'readOnlyRootFilesystem'],
    ),
    volumeMounts: {
      type: 'array',
      items: closed({ name, mountPath: { type: 'string' }, readOnly: { type: 'boolean' } }, [
        'name',
        'mountPath',
      ]),
    },
  },
  ['name', 'image', 'securityContext', 'resources'],
);

const podSpec = closed(
  {
    restartPolicy: { enum: ['Never', 'OnFailure'] },
    automountServiceAccountToken: { type: 'boolean' },
    enableServiceLinks: { const: false },
    serviceAccountName: name,
    terminationGracePeriodSeconds: { type: 'integer', minimum: 0 },
    securityContext: closed({ seccompProfile: closed({ type: { const: 'RuntimeDefault' } }, ['type']) }),
    containers: { type: 'array', minItems: 1, maxItems: 1, items: container },
    volumes: {
      type: 'array',
      items: closed(
        {
          name,
          secret: closed({ secretName: name, items: { type: 'array' } }, ['secretName']),
          emptyDir: closed({}),
        },
        ['name'],
      ),
    },
  },
  ['restartPolicy', 'containers', 'automountServiceAccountToken'],
);

const job = closed(
  {
    apiVersion: { const: 'batch/v1' },
    kind: { const: 'Job' },
    metadata,
    spec: closed(
      {
        backoffLimit: { const: 0 },
        ttlSecondsAfterFinished: { type: 'integer' },
        activeDeadlineSeconds: { type: 'integer', minimum: 1 },
        template: closed({ metadata: { type: 'object' }, spec: podSpec }, ['spec']),
      },
      ['template', 'backoffLimit'],
    ),
  },
  ['apiVersion', 'kind', 'metadata', 'spec'],
);

const secret = closed(
  {
    apiVersion: { const: 'v1' },
    kind: { const: 'Secret' },
    metadata,
    type: { const: 'Opaque' },
    stringData: {
      type: 'object',
      propertyNames: { pattern: '^[-._a-zA-Z0-9]+$' },
      additionalProperties: { type: 'string' },
    },
  },
  ['apiVersion', 'kind', 'metadata', 'stringData'],
);

const ajv = new Ajv2020({ strict: false });
const checks = { jobs: ajv.compile(job), secrets: ajv.compile(secret) };

/** What the API server would refuse a manifest for; null for nothing. */
export function manifestTrouble(kind: string, manifest: JsonObject): string | null {
  const check = kind === 'jobs' ? checks.jobs : checks.secrets;
  return check(manifest) ? null : ajv.errorsText(check.errors);
}
