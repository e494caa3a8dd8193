/**
 * How long one waits on average before it is served, in units of the time of service, where `servers` take from one line,
 * arrivals are independent and times of service vary as much (M/M/c, Erlang's formula). `load` is arrivals times the time
 * of service: how many servers are busy on average.
 */
export function meanWait(servers: number, load: number): number {
  if (load <= 0) return 0;
  if (load >= servers) return Number.POSITIVE_INFINITY;
  return chanceToWait(servers, load) / (servers - load);
}

/** Erlang's C from his B, which is computed without large numbers. */
function chanceToWait(servers: number, load: number): number {
  let blocked = 1;
  for (let server = 1; server <= servers; server++) blocked = (load * blocked) / (server + load * blocked);
  return blocked / (1 - (load / servers) * (1 - blocked));
}
