import type { Dispatch } from '../core/ports/dispatch.ts';

/** A dispatch that sends in another way and leaves the rest to the one it stands around. */
export function sendingBy(inner: Dispatch, send: Dispatch['send']): Dispatch {
  const { leaves, listen, abandon, onRoom } = inner;
  return {
    send,
    ...(leaves && { leaves: leaves.bind(inner) }),
    ...(listen && { listen: listen.bind(inner) }),
    ...(abandon && { abandon: abandon.bind(inner) }),
    ...(onRoom && { onRoom: onRoom.bind(inner) }),
  };
}
