import type { Answer } from '../../../core/answer.ts';
import { GleitzeitError } from '../../../core/errors.ts';
import type { Timers } from '../../../core/ports/clock.ts';
import type { Provider, ProviderCall } from '../../../core/ports/provider.ts';
import { givenUp } from '../../../rpc/correlate.ts';
import { checkReached } from '../../auth/config.ts';
import { openCredentials } from '../../auth/credentials.ts';
import { CallsUnderWay } from '../../calls-under-way.ts';
import type { Filled } from '../../filled.ts';
import { httpProbe } from '../../http-probe.ts';
import { callEnvironment } from '../../process/provider.ts';
import type { ProviderParts } from '../../provider-type.ts';
import { withoutSecrets } from '../../without-secrets.ts';
import type { Container, KubernetesConfig } from '../config.ts';
import { containerLimits, type Planned } from '../methods.ts';
import { ClusterApi } from './api.ts';
import { jobAnswer } from './job-answer.ts';
import { type JobParts, jobManifest, jobName, ownedBy, secretManifest } from './manifest.ts';
import { jobFailure, podState } from './state.ts';

export type KubernetesParts = {
  readonly id: string;
  readonly protocol: string;
  readonly config: Container;
  readonly kubernetes: KubernetesConfig;
  readonly env: Filled;
  readonly secrets: () => readonly string[];
  readonly plan: (call: ProviderCall) => Planned;
};

const POLL_S = 1;
const REMOVAL_MS = 10_000;
const CONNECTIONS = 16;

/** A job of a cluster for each call. */
export function openKubernetes(
  parts: KubernetesParts,
  { channels, timers, ...more }: ProviderParts,
): Provider {
  const { kubernetes } = parts;
  const { url, namespace = 'default', auth, tls } = kubernetes;
  const at = '/config/kubernetes';
  checkReached({ url, ...(auth === undefined ? {} : { auth }), ...(tls === undefined ? {} : { tls }) }, at);
  const credentials = openCredentials(auth, { channels, timers, ...more }, `${at}/auth`);
  const client = channels.web({ url, tls: tls ?? null, credentials, connections: CONNECTIONS });
  const api = new ClusterApi(client, url, namespace);
  const calls = new CallsUnderWay();
  const secrets = () => [...parts.secrets(), ...(credentials?.values() ?? [])];
  return {
    id: parts.id,
    protocol: parts.protocol,
    hasMethod: () => true,
    call: async (call) => {
      const answer = await answered(parts, call, { api, calls, timers });
      return answer.word === 'failed'
        ? { word: 'failed', error: withoutSecrets(answer.error, secrets()) }
        : answer;
    },
    probe: httpProbe({
      ...{ web: channels.web, url: new URL(`${url.replace(/\/+$/, '')}/version`), tls: tls ?? null },
      ...{ credentials, headers: () => ({}), secrets },
    }),
    close: async () => {
      await calls.close();
      await client.close();
    },
  };
}

type Surroundings = { readonly api: ClusterApi; readonly calls: CallsUnderWay; readonly timers: Timers };

async function answered(
  parts: KubernetesParts,
  call: ProviderCall,
  { api, calls, timers }: Surroundings,
): Promise<Answer> {
  try {
    const planned = parts.plan(call);
    return await calls.make(call.signal, planned.limit, (signal) =>
      runJob({ parts, call, planned, api, timers, signal }),
    );
  } catch (thrown) {
    return { word: 'failed', error: GleitzeitError.from(thrown, 'GLZ2001').toRecord() };
  }
}

type Job = {
  readonly parts: KubernetesParts;
  readonly call: ProviderCall;
  readonly planned: Planned;
  readonly api: ClusterApi;
  readonly timers: Timers;
  readonly signal: AbortSignal;
};

async function runJob(job: Job): Promise<Answer> {
  const { parts, call, planned, api, signal } = job;
  const { image, inside, limit } = planned;
  if (signal.aborted) throw givenUp(signal);
  const described: JobParts = {
    name: jobName(call.call_id, call.attempt),
    task_id: call.task_id,
    image,
    inside,
    env: { ...callEnvironment(call), ...parts.env.fill() },
    deadline_s: limit === null ? null : Math.ceil(limit.ms / 1000),
  };
  const { name } = described;
  try {
    await api.create('secrets', secretManifest(described, JSON.stringify(call.params)), signal);
    const made = await api.create('jobs', jobManifest(described, parts.config, parts.kubernetes), signal);
    const uid = (made['metadata'] as { readonly uid?: string } | undefined)?.uid ?? '';
    await api.patch('secrets', name, ownedBy(name, uid), signal);
    return await outcome(job, name);
  } finally {
    // Whether it ended or is not wanted any more: nothing of it stays. A signal that has come ends only the waiting.
    const patience = AbortSignal.timeout(REMOVAL_MS);
    await api.remove('jobs', name, patience).catch(() => {});
    await api.remove('secrets', name, patience).catch(() => {});
  }
}

async function outcome({ parts, planned, api, timers, signal }: Job, name: string): Promise<Answer> {
  const { max_output } = containerLimits(parts.config);
  for (;;) {
    const state = podState(await api.podOf(name, signal));
    if (state.is === 'stuck')
      throw new GleitzeitError('GLZ2002', `the pod does not start: ${state.reason}: ${state.message}`, {
        reason: state.reason,
        hint: 'is the image there, and may the cluster fetch it?',
      });
    if (state.is === 'ended')
      return jobAnswer(state, await api.log(state.pod, max_output, signal), planned.meaning);
    const failure = jobFailure(await api.get('jobs', name, signal));
    if (failure !== null)
      throw new GleitzeitError(
        failure.reason === 'DeadlineExceeded' ? 'GLZ2003' : 'GLZ2002',
        `the cluster gave the job up: ${failure.reason}: ${failure.message}`,
        { reason: failure.reason },
      );
    await pause((parts.kubernetes.poll ?? POLL_S) * 1000, timers, signal);
  }
}

function pause(ms: number, timers: Timers, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(givenUp(signal));
    };
    const cancel = timers.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
