import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Preset, readPreset } from './preset.ts';

/** The types that are made of others, by their names. */
export interface Presets {
  get(type: string): Preset | undefined;
  names(): readonly string[];
}

export const noPresets: Presets = { get: () => undefined, names: () => [] };

const ENDING = '.yaml';

/** Those in a folder, one a file, each under the name of its type. A file is read when its type is asked for. */
export function presetsIn(folder: string): Presets {
  const read = new Map<string, Preset>();
  let known: readonly string[] | null = null;
  const names = () => {
    known ??= readdirSync(folder)
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .sort();
    return known;
  };
  return {
    names,
    get: (type) => {
      if (!names().includes(type)) return undefined;
      const file = join(folder, `${type}${ENDING}`);
      const preset = read.get(type) ?? readPreset(readFileSync(file), file);
      read.set(type, preset);
      return preset;
    },
  };
}

/** The first of them that has a type counts. */
export function withPresets(own: readonly Preset[], others: Presets): Presets {
  const mine = new Map(own.map((preset) => [preset.type, preset]));
  return {
    names: () => [...new Set([...mine.keys(), ...others.names()])],
    get: (type) => mine.get(type) ?? others.get(type),
  };
}
