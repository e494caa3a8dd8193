import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseAllDocuments } from 'yaml';
import { kinds } from './kinds.ts';

export type Variable = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
};
type Probe = { readonly httpGet?: { readonly path: string; readonly port: number | string } };
export type Container = {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
};
type Labels = Readonly<Record<string, string>>;

/** Of a decoded object what the tests look at; what is decoded has exactly the shape of its kind. */
export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly maxReplicas?: number;
    readonly serviceName?: string;
    /** Of a Service it is the labels themselves. */
    readonly selector?: { readonly matchLabels?: Labels };
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly ports?: readonly { readonly targetPort?: number | string }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template?: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes?: readonly {
          readonly name: string;
          readonly configMap?: { readonly name: string };
        }[];
      };
    };
  };
};

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });

/** Reads a file of manifests. Whatever an API server would not know is a problem, and so is every oddity of its YAML. */
export function decode(source: string): { readonly manifests: Manifest[]; readonly problems: string[] } {
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  for (const document of parseAllDocuments(source, { uniqueKeys: true, version: '1.2' })) {
    problems.push(...[...document.errors, ...document.warnings].map(({ message }) => message));
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    const found = troubleWith(value);
    problems.push(...found);
    if (found.length === 0) manifests.push(value as Manifest);
  }
  return { manifests, problems };
}

function troubleWith(value: unknown): string[] {
  const { kind, metadata } = (value ?? {}) as { kind?: unknown; metadata?: { name?: unknown } };
  const shape = typeof kind === 'string' ? kinds[kind] : undefined;
  if (shape === undefined) return [`no kind of ours: ${String(kind)}`];
  const check = ajv.compile(shape);
  check(value);
  return (check.errors ?? []).map(({ instancePath, message, params }) => {
    const extra = (params as { additionalProperty?: string }).additionalProperty ?? '';
    return `${kind} ${String(metadata?.name)}${instancePath}: ${message} ${extra}`.trim();
  });
}
