import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../core/json.ts';
import { type JobManifest, manifestTrouble, type SecretManifest } from './manifests.suite.ts';

type Pod = { child: ChildProcess; code: number | null; log: Buffer[] };
type Kept = { readonly job: JobManifest; readonly pod: Pod };

export type ClusterWishes = {
  /** Refuses every request that does not show this. */
  readonly authorization?: string;
  /** What the one pod says of itself instead of running. */
  readonly state?: JsonObject;
  readonly conditions?: readonly JsonObject[];
};

/**
 * The API server of a cluster, as far as a job takes it: manifests are held against what Kubernetes demands, and pods are
 * programs on this machine.
 */
export async function startCluster(wishes: ClusterWishes = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-cluster-'));
  const secrets = new Map<string, SecretManifest>();
  const jobs = new Map<string, Kept>();
  const made: JsonObject[] = [];
  const asked: string[] = [];

  function start(job: JobManifest): Pod {
    const [container] = job.spec.template.spec.containers;
    const secret = secrets.get(job.metadata.name);
    const file = join(folder, job.metadata.name);
    writeFileSync(file, secret?.stringData['params.json'] ?? '');
    const env = Object.fromEntries(
      container.env.map(({ name, value, valueFrom }) => [
        name,
        name === 'GLEITZEIT_PARAMS_FILE'
          ? file
          : (value ?? secret?.stringData[valueFrom?.secretKeyRef.key ?? ''] ?? ''),
      ]),
    );
    const [program = 'false', ...args] = container.command ?? [];
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const pod: Pod = { child, code: null, log: [] };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => pod.log.push(chunk));
    child.once('close', (code, signal) => {
      pod.code = signal === null ? code : 137;
    });
    return pod;
  }

  function end(name: string): void {
    const kept = jobs.get(name);
    jobs.delete(name);
    kept?.pod.child.kill('SIGKILL');
  }

  function pods(selector: string): JsonObject {
    const name = selector.replace('job-name=', '');
    const kept = jobs.get(name);
    if (kept === undefined) return { items: [] };
    const { code } = kept.pod;
    const state =
      wishes.state ??
      (code === null
        ? { running: {} }
        : { terminated: { exitCode: code, reason: code === 0 ? 'Completed' : 'Error' } });
    return { items: [{ metadata: { name: `${name}-pod` }, status: { containerStatuses: [{ state }] } }] };
  }

  function create(kind: string, manifest: JsonObject, say: Say): void {
    const trouble = manifestTrouble(kind, manifest);
    made.push(manifest);
    if (trouble !== null) return void say(422, { kind: 'Status', message: trouble });
    const { name } = (manifest as unknown as JobManifest).metadata;
    if (kind === 'secrets') secrets.set(name, manifest as unknown as SecretManifest);
    else if (jobs.has(name)) return void say(409, { kind: 'Status', message: 'exists' });
    else {
      const job = manifest as unknown as JobManifest;
      jobs.set(name, { job, pod: start(job) });
    }
    return void say(201, {
      ...manifest,
      metadata: { ...(manifest['metadata'] as JsonObject), uid: `uid-${name}` },
    });
  }

  function answer(request: IncomingMessage, body: string, say: Say, log: (bytes: Buffer) => void): void {
    const url = new URL(request.url ?? '/', 'http://cluster');
    asked.push(`${request.method} ${url.pathname}`);
    if (wishes.authorization !== undefined && request.headers.authorization !== wishes.authorization)
      return void say(401, { kind: 'Status', message: 'Unauthorized' });
    const [, kind = '', name = '', part] =
      /^\/(?:api|apis\/batch)\/v1\/namespaces\/tasks\/(\w+)(?:\/([^/]+))?(?:\/(log))?$/.exec(url.pathname) ??
      [];
    if (part === 'log') {
      const kept = Buffer.concat(jobs.get(name.replace(/-pod$/, ''))?.pod.log ?? []);
      return void log(kept.subarray(0, Number(url.searchParams.get('limitBytes'))));
    }
    if (kind === 'pods') return void say(200, pods(url.searchParams.get('labelSelector') ?? ''));
    if (request.method === 'POST') return void create(kind, JSON.parse(body) as JsonObject, say);
    const there = kind === 'jobs' ? jobs.has(name) : secrets.has(name);
    if (!there) return void say(404, { kind: 'Status', message: `${kind} "${name}" not found` });
    if (request.method === 'PATCH') made.push(JSON.parse(body) as JsonObject);
    if (request.method === 'DELETE' && kind === 'jobs') end(name);
    else if (request.method === 'DELETE') secrets.delete(name);
    return void say(200, { kind, status: { conditions: [...(wishes.conditions ?? [])] } });
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(request, Buffer.concat(chunks).toString(), sayOn(response), (bytes) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(bytes),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    made,
    asked,
    left: () => ({ jobs: jobs.size, secrets: secrets.size }),
    stop: async () => {
      for (const name of [...jobs.keys()]) end(name);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Say = (status: number, body: JsonObject) => void;

function sayOn(response: ServerResponse): Say {
  return (status, body) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
