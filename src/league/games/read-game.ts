import { isObject, type JsonObject } from '../../core/json.ts';
import { type Game, gameOf, type Points, type Rules, usualPoints } from './game.ts';

const verbs = ['begin', 'asked', 'context', 'read', 'apply', 'ending', 'shown', 'choices'] as const;

/** The rules that somebody's file exports, as a game. Throws with all that is missing. */
export function readGame(exported: unknown): Game {
  const found = Object(exported) as Readonly<Record<string, unknown>>;
  const { name } = found;
  const wrong: string[] = [];
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]*$/.test(name))
    wrong.push('name must be lower case letters, digits and _');
  for (const verb of verbs) if (typeof found[verb] !== 'function') wrong.push(`${verb} must be a function`);
  const points = found['points'] ?? usualPoints;
  if (!isPoints(points)) wrong.push('points must be {win, draw, loss} as whole numbers');
  if (wrong.length > 0) throw new Error(`this is no game: ${wrong.join('; ')}`);
  // Every function that the rules have was found; what they do with their states is theirs.
  return gameOf({ ...found, points } as unknown as Rules<unknown, unknown>);
}

function isPoints(value: unknown): value is Points {
  if (!isObject(value)) return false;
  const { win, draw, loss }: JsonObject = value;
  return [win, draw, loss].every((number) => Number.isInteger(number));
}
