import { type Figure, latencies, latency } from '../measure.ts';
import { expectLength, type Payload, payload, type Result } from '../payload.ts';
import { defineWorkload } from '../workload.ts';

/** A system without a server of its own is called in its process, which spares it the way. */
export const workload = defineWorkload({
  id: 'W4',
  title: 'submit to result at the caller over HTTP, one after another',
  sizes: { full: 500, quick: 100 },
  needs: [],
  samples: true,
  served: true,
  async run({ request, requestOverSocket, run }, size) {
    const overHttp = request ?? run;
    if (overHttp === undefined) return [];
    const figures = await measure(overHttp, size);
    if (requestOverSocket === undefined) return figures;
    const overSocket = await measure(requestOverSocket, size);
    return [...figures, ...overSocket.map((figure) => ({ ...figure, metric: `websocket ${figure.metric}` }))];
  },
});

async function measure(run: (task: Payload) => Promise<Result>, size: number): Promise<Figure[]> {
  const one = async (index: number) => expectLength(await run(payload(`w4-${index}`)), 1);
  return latency(await latencies(size, one), 0.5, 0.99);
}
