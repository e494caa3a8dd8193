import { describe, expect, it } from 'vitest';
import { problemsOf } from '../../files/problems.ts';
import { fillPreset } from './fill.ts';
import { readPreset } from './preset.ts';

const weather = `type: weather
summary: The weather
dialect: rest
protocols: [weather/v1]
config:
  url: { type: url, required: true, description: where }
  api_key: { type: secret }
  units: { type: text, enum: [metric, imperial], default: metric }
use:
  url: \${config.url}
  headers: { authorization: "Bearer \${config.api_key}" }
  methods:
    now: { path: "/now/\${params.city}", query: { units: "\${config.units}" } }
`;

function wrong(text: string): string[] {
  try {
    readPreset(text, 'weather.yaml');
    return [];
  } catch (thrown) {
    return problemsOf(thrown).map(
      ({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`,
    );
  }
}

describe('a type of provider in a file', () => {
  it('says what it is told and what that comes down to', () => {
    expect(readPreset(weather, 'weather.yaml')).toMatchObject({
      type: 'weather',
      dialect: 'rest',
      protocols: ['weather/v1'],
      unverified: false,
      schema: {
        required: ['url'],
        additionalProperties: false,
        properties: { units: { enum: ['metric', 'imperial'], default: 'metric' } },
      },
    });
  });

  it.each([
    [weather.replace('type: weather', 'type: My Weather'), '1:7 type: must be'],
    [weather.replace('dialect', 'dialct'), '3:1 dialct: unknown key'],
    [weather.replace('type: url', 'type: uri'), '6:16 config.url.type: must be one of'],
    [weather.replace('${config.units}', '${config.unit}'), '13:'],
  ])('is refused with the place of what is wrong', (text, expected) => {
    expect(wrong(text).some((line) => line.startsWith(expected))).toBe(true);
  });

  it('names the nearest key for one that is not there', () => {
    expect(wrong(weather.replace('${config.units}', '${config.unit}'))).toEqual([
      expect.stringContaining('there is no key "unit" under config'),
    ]);
  });
});

describe('filling a type in', () => {
  it.each([
    [{ a: '${config.x}' }, { x: { deep: [1] } }, { a: { deep: [1] } }],
    [{ a: 'in ${config.x} here' }, { x: 5 }, { a: 'in 5 here' }],
    [{ a: '${config.x}', b: 1 }, {}, { b: 1 }],
    [{ a: 'Bearer ${config.x}', b: [1, '${config.x}'] }, {}, { b: [1] }],
    [{ a: { b: { c: '${config.x}' } }, d: {} }, {}, { d: {} }],
    [
      { a: '$${config.x} ${params.y} ${secrets.z}' },
      { x: 1 },
      { a: '$${config.x} ${params.y} ${secrets.z}' },
    ],
    [{ a: '${config.constructor}' }, {}, {}],
    [{ a: '${config.x}' }, { x: null }, { a: null }],
  ])('%j with %j is %j', (use, config, expected) => {
    expect(fillPreset(use, config)).toEqual(expected);
  });
});
