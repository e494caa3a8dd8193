import type { WorkloadId } from './system.ts';
import type { Workload } from './workload.ts';
import { workload as attack } from './workloads/attack.ts';
import { workload as start } from './workloads/start.ts';
import { workload as subscribers } from './workloads/subscribers.ts';
import { workload as w1 } from './workloads/w1.ts';
import { workload as w2 } from './workloads/w2.ts';
import { workload as w3 } from './workloads/w3.ts';
import { workload as w4 } from './workloads/w4.ts';
import { workload as w5 } from './workloads/w5.ts';
import { workload as w6 } from './workloads/w6.ts';
import { workload as w7 } from './workloads/w7.ts';
import { workload as w8 } from './workloads/w8.ts';
import { workload as w9 } from './workloads/w9.ts';
import { workload as w10 } from './workloads/w10.ts';
import { workload as w11 } from './workloads/w11.ts';
import { workload as w12 } from './workloads/w12.ts';
import { workload as w13 } from './workloads/w13.ts';
import { workload as w14 } from './workloads/w14.ts';
import { workload as w15 } from './workloads/w15.ts';
import { workload as w16 } from './workloads/w16.ts';
import { workload as w17 } from './workloads/w17.ts';
import { workload as w18 } from './workloads/w18.ts';
import { workload as w19 } from './workloads/w19.ts';

export const WORKLOADS: readonly Workload[] = [
  w1,
  w2,
  w3,
  w4,
  w5,
  w6,
  w7,
  w8,
  w9,
  w10,
  w11,
  w12,
  w13,
  w14,
  w15,
  w16,
  w17,
  w18,
  w19,
  start,
  subscribers,
  attack,
];

export function findWorkload(id: string): Workload & { readonly id: WorkloadId } {
  const found = WORKLOADS.find((workload) => workload.id === id);
  if (found === undefined) {
    throw new Error(
      `unknown workload ${id}; there are ${WORKLOADS.map((workload) => workload.id).join(', ')}`,
    );
  }
  return found;
}
