import type { Dispatch } from '../core/ports/dispatch.ts';
import type { Provider } from '../core/ports/provider.ts';

/** Calls are made here or handed over, as their providers say. */
export function dispatchByWay(
  here: Pick<Dispatch, 'send'>,
  away: Required<Omit<Dispatch, 'leaves'>>,
): Dispatch {
  const leaves = ({ via }: Provider) => via === 'bridge';
  return {
    send: (provider, call) => (leaves(provider) ? away : here).send(provider, call),
    leaves,
    listen: (arrivals) => away.listen(arrivals),
    abandon: (call) => away.abandon(call),
    onRoom: (listener) => away.onRoom(listener),
  };
}
