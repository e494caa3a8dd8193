import { orAborted } from './pause.ts';
import type { ChatRequest } from './request.ts';

/** `reason` is for the log; people are told that they may not, and no more. */
export type Permission = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/**
 * Asked before anything leaves for the other zone, one after the other: the first that does not allow it decides. One that
 * throws or answers with something else has not allowed it.
 */
export type Authorise = (
  request: ChatRequest,
  context: { readonly signal: AbortSignal },
) => Permission | Promise<Permission>;

/** Who may ask, where. An empty list is everybody. */
export type AllowLists = {
  readonly teams: readonly string[];
  readonly channels: readonly string[];
  readonly users: readonly string[];
};

export function allowOnly({ teams, channels, users }: AllowLists): Authorise {
  const lists = [
    ['team', teams, ({ team_id }: ChatRequest) => team_id],
    ['channel', channels, ({ channel }: ChatRequest) => channel],
    ['user', users, ({ user_id }: ChatRequest) => user_id],
  ] as const;
  return (request) => {
    for (const [what, listed, of] of lists)
      if (listed.length > 0 && !listed.includes(of(request) ?? ''))
        return { allowed: false, reason: `the ${what} is not among those that may ask` };
    return { allowed: true };
  };
}

export async function permissionOf(
  hooks: readonly Authorise[],
  request: ChatRequest,
  context: { readonly signal: AbortSignal },
): Promise<Permission> {
  for (const hook of hooks) {
    const permission = await ask(hook, request, context);
    if (!permission.allowed) return permission;
  }
  return { allowed: true };
}

async function ask(
  hook: Authorise,
  request: ChatRequest,
  context: { readonly signal: AbortSignal },
): Promise<Permission> {
  try {
    const permission: unknown = await orAborted(hook(request, context), context.signal);
    if (isPermission(permission)) return permission;
    return { allowed: false, reason: 'a hook answered with something that is no permission' };
  } catch (thrown) {
    context.signal.throwIfAborted();
    return { allowed: false, reason: `a hook failed: ${thrown instanceof Error ? thrown.name : 'no error'}` };
  }
}

/** A hook is somebody else's code. */
function isPermission(value: unknown): value is Permission {
  if (typeof value !== 'object' || value === null || !('allowed' in value)) return false;
  return value.allowed === true || (value.allowed === false && 'reason' in value);
}
