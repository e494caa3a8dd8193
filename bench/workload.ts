import type { Figure } from './measure.ts';
import type { Session, WorkloadId } from './system.ts';

type Ability = Exclude<keyof Session, 'close'>;
type Able<A extends Ability> = Session & Required<Pick<Session, A>>;

/** How many tasks, runs or samples one run has. */
export interface Sizes {
  readonly full: number;
  readonly quick: number;
}

export interface Workload {
  readonly id: WorkloadId;
  readonly title: string;
  readonly sizes: Sizes;
  readonly warmUp: boolean;
  /** The size is a number of samples for a percentile: a slow system needs as many as a fast one. */
  readonly samples: boolean;
  /** Measured on our system alone: no peer publishes it, or the figure is a promise about ourselves. */
  readonly ownOnly: boolean;
  /** The handlers call an agent, and a bare loop that makes the same calls runs before and after. */
  readonly agent: boolean;
  /** Measured on a server in a process of its own, by systems that have one. */
  readonly served: boolean;
  /** One run in a fresh session; undefined where the session lacks an ability it needs. */
  perform(session: Session, size: number): Promise<Figure[] | undefined>;
}

interface Definition<A extends Ability> {
  readonly id: WorkloadId;
  readonly title: string;
  readonly sizes: Sizes;
  readonly needs: readonly A[];
  readonly warmUp?: boolean;
  readonly samples?: boolean;
  readonly ownOnly?: boolean;
  readonly agent?: boolean;
  readonly served?: boolean;
  run(session: Able<A>, size: number): Promise<Figure[]>;
}

export function defineWorkload<A extends Ability>(definition: Definition<A>): Workload {
  const { id, title, sizes, needs, warmUp = true, samples = false, run } = definition;
  const { ownOnly = false, agent = false, served = false } = definition;
  return {
    id,
    title,
    sizes,
    warmUp,
    samples,
    ownOnly,
    agent,
    served,
    perform: async (session, size) => (isAble(session, needs) ? run(session, size) : undefined),
  };
}

function isAble<A extends Ability>(session: Session, needs: readonly A[]): session is Able<A> {
  return needs.every((ability) => session[ability] !== undefined);
}
