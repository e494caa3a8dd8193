import { pause } from '../played.ts';

/** So long nothing may change before it is given up. */
const STILL_MS = 180_000;
const LOOK_MS = 200;

/** `sign` changes as long as there is progress. */
export type Look = { readonly done: boolean; readonly sign: number };

/** Resolves when it is done; false where nothing has changed for a long time. */
export async function until(look: () => Look | Promise<Look>): Promise<boolean> {
  let last = { sign: Number.NaN, at: performance.now() };
  for (;;) {
    const { done, sign } = await look();
    if (done) return true;
    if (sign !== last.sign) last = { sign, at: performance.now() };
    if (performance.now() - last.at > STILL_MS) return false;
    await pause(LOOK_MS);
  }
}

/** The same where there is no use in going on. */
export async function untilOrThrow(what: string, look: () => Look | Promise<Look>): Promise<void> {
  if (!(await until(look))) throw new Error(`for ${STILL_MS / 1000} s nothing has changed: ${what}`);
}
