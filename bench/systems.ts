import { readdirSync } from 'node:fs';
import type { System } from './system.ts';

export const OWN = 'gleitzeit';

const folder = new URL('./systems/', import.meta.url);

export function systemNames(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length));
}

export async function loadSystem(name: string): Promise<System> {
  if (!systemNames().includes(name)) {
    throw new Error(`unknown system ${name}; there are ${systemNames().join(', ')}`);
  }
  const module: { readonly system: System } = await import(new URL(`${name}.ts`, folder).href);
  return module.system;
}
