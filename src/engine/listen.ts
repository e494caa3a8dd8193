import type { ChangeHint } from '../core/ports/store.ts';
import type { Works } from './assemble.ts';
import type { EngineParts } from './parts.ts';

/** Hears what changes outside of the engine; returns the way to stop it. */
export function listen(
  { store, router, dispatch }: EngineParts,
  works: Works,
  changed: (hint: ChangeHint) => void,
): () => void {
  const stops = [
    store.onChange(changed),
    router.onChange?.(() => providersChanged(works)),
    router.onRoom?.((line, places, astray) => works.lines.room(line, places, astray)),
    dispatch.onRoom?.((line, places, astray) => works.lines.room(line, places, astray)),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}

function providersChanged({ dispatcher, maintenance, unserved, lines }: Works): void {
  unserved.forget();
  maintenance.expectDue(0);
  lines.callAll();
  dispatcher.wake();
}
