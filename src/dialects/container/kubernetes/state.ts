import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts';

/** How far a job has come, read from its pod. */
export type PodState =
  | { readonly is: 'under_way' }
  /** It will not begin: why, and whether it is the cluster's trouble rather than the image's. */
  | { readonly is: 'stuck'; readonly reason: string; readonly message: string }
  | { readonly is: 'ended'; readonly code: number; readonly reason: string; readonly pod: string };

const stuck = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
]);

export function podState(pod: JsonObject | null): PodState {
  const status = objectIn(pod, 'status');
  const [container] = listIn(status, 'containerStatuses');
  const state = objectIn(container, 'state');
  const ended = objectIn(state, 'terminated');
  if (ended !== null) {
    const code = own(ended, 'exitCode');
    return {
      is: 'ended',
      code: typeof code === 'number' ? code : 1,
      reason: textIn(ended, 'reason'),
      pod: textIn(objectIn(pod, 'metadata'), 'name'),
    };
  }
  const waiting = objectIn(state, 'waiting');
  const reason = textIn(waiting, 'reason');
  return stuck.has(reason)
    ? { is: 'stuck', reason, message: textIn(waiting, 'message') }
    : { is: 'under_way' };
}

/** Why the cluster itself gave a job up; null while it has not. */
export function jobFailure(job: JsonObject): { readonly reason: string; readonly message: string } | null {
  const failed = listIn(objectIn(job, 'status'), 'conditions').find(
    (one) => isObject(one) && own(one, 'type') === 'Failed' && own(one, 'status') === 'True',
  );
  if (failed === undefined) return null;
  return { reason: textIn(failed, 'reason'), message: textIn(failed, 'message') };
}

function objectIn(value: unknown, key: string): JsonObject | null {
  const inner = isObject(value) ? own(value, key) : undefined;
  return isObject(inner) ? inner : null;
}

function listIn(value: unknown, key: string): readonly Json[] {
  const inner = isObject(value) ? own(value, key) : undefined;
  return Array.isArray(inner) ? (inner as readonly Json[]) : [];
}

function textIn(value: unknown, key: string): string {
  const inner = isObject(value) ? own(value, key) : undefined;
  return typeof inner === 'string' ? inner : '';
}
