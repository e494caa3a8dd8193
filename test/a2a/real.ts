import { fileURLToPath } from 'node:url';
import { freePort } from '../services/free-port.ts';
import { type Service, startService } from '../services/process.ts';
import { pythonWith } from '../services/python.ts';

/** A running agent that somebody else's software makes. */
export type RealAgent = Service & { readonly url: string };

function file(name: string): string {
  return fileURLToPath(new URL(`./agents/${name}`, import.meta.url));
}

async function start(command: string, name: string, args: readonly string[]): Promise<RealAgent> {
  const port = await freePort();
  const ready = /listening|Uvicorn running/;
  const service = await startService({ command, args: [file(name), String(port), ...args], ready });
  return { ...service, url: `http://127.0.0.1:${port}` };
}

/** `said`: the version its card claims. */
export function startSdk03(said = '0.3.0'): Promise<RealAgent> {
  return start(process.execPath, 'sdk03.ts', [said]);
}

/** `speaks`: `1.0`, or `both` for 0.3 besides; `said` as above. */
export function startSdk1(speaks: '1.0' | 'both' = '1.0', said: string = speaks): Promise<RealAgent> {
  return start(process.execPath, 'sdk1.ts', [speaks, said]);
}

export async function startPython(): Promise<RealAgent> {
  const python = await pythonWith('a2a-sdk-1.3', ['a2a-sdk[http-server]>=1.3,<2', 'uvicorn>=0.30,<1']);
  return start(python, 'agent.py', []);
}
