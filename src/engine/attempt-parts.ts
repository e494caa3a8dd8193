import type { Timers } from '../core/ports/clock.ts';
import type { Dispatch } from '../core/ports/dispatch.ts';
import type { Observer } from '../core/ports/observer.ts';
import type { Passage, Router } from '../core/ports/router.ts';
import type { Away } from './away.ts';
import type { Lanes } from './lanes.ts';
import type { Lines } from './lines.ts';
import type { CallContent, OutgoingParts } from './outgoing.ts';
import type { Unserved } from './unserved.ts';

export type AttemptParts = OutgoingParts & {
  readonly router: Router;
  readonly dispatch: Dispatch;
  readonly away: Away;
  readonly timers: Timers;
  readonly observer: Observer;
  readonly unserved: Unserved;
  readonly lines: Pick<Lines, 'join' | 'howCalled' | 'callMore' | 'allClaimed'>;
  readonly lanes: Lanes;
  /** Something is due in so many milliseconds. */
  readonly expectDue: (ms: number) => void;
};

/** A call that is ready to be made, and the place that was taken for it. */
export type ReadyCall = Omit<CallContent, 'traceparent'> & { readonly passage: Passage };
