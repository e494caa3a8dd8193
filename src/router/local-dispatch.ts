import type { Dispatch } from '../core/ports/dispatch.ts';

/** Makes the call here and now. */
export const localDispatch: Dispatch = { send: (provider, call) => provider.call(call) };
