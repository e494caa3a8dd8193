import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  awayProvider,
  isInLine,
  lineName,
  lineOf,
  parkedAway,
  parkedFor,
  unservedCall,
  unservedModel,
  unservedName,
  unservedOnly,
} from './parked.ts';
import { lineKinds } from './ports/router.ts';

describe('the line that a task waits in', () => {
  it('is read from its name, whatever its key is called', () => {
    fc.assert(
      fc.property(fc.constantFrom(...lineKinds), fc.string({ maxLength: 200 }), (kind, key) => {
        expect(lineOf(lineName({ kind, key }))).toEqual({ kind, key });
        expect(unservedCall({ lane: 'a/v1', parked: lineName({ kind, key }) })).toBe(null);
      }),
    );
  });

  it('has a name that databases take, whatever its key holds', () => {
    const name = (key: string) => lineName({ kind: 'rate', key });
    expect(name('a\0b\uD800')).toBe('line rate a\uFFFDb\uFFFD');
    const long = 'x'.repeat(1000);
    expect(name(`${long}1`)).not.toBe(name(`${long}2`));
    expect(name(`${long}1`).length).toBeLessThan(230);
    expect(name(`${'x'.repeat(199)}\u{1F600}${long}`).isWellFormed()).toBe(true);
  });

  it.each([null, 'paused', parkedFor('rate limit'), 'line', 'line rate', 'line other key'])(
    'is none for a task that is parked as %j',
    (parked) => {
      expect(lineOf(parked)).toBe(null);
    },
  );
});

describe('what a task waits for that nobody serves', () => {
  it('is one provider alone, whatever it is called', () => {
    const only = (name: string) => ({ parked: parkedFor(unservedName('send', null, name)) });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
        fc.pre(!name.includes('\0'));
        expect(unservedOnly(only(name))).toBe(name);
        expect(unservedModel(only(name))).toBe(null);
      }),
    );
    expect(unservedModel(only('a model=b'))).toBe(null);
    expect(unservedCall({ lane: 'agent/v1', ...only('agent:A B') })).toBe('agent/v1 send only=agent:A B');
    expect(unservedOnly({ parked: parkedFor(unservedName('send', 'x only=y', 'agent:A')) })).toBe(null);
    for (const parked of [null, parkedFor('send'), 'line rate x only=y'])
      expect(unservedOnly({ parked })).toBe(null);
  });

  const parked = (method: string, model: string | null) => parkedFor(unservedName(method, model));

  it('is a method, or a method with a model, whatever the model is called', () => {
    expect(unservedModel({ parked: parked('chat', null) })).toBe(null);
    expect(unservedCall({ lane: 'llm/v1', parked: parked('chat', 'x') })).toBe('llm/v1 chat model=x');
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (model) => {
        const wellFormed = model.toWellFormed().replaceAll('\0', '\uFFFD');
        expect(unservedModel({ parked: parked('chat', model) })).toBe(wellFormed);
      }),
    );
  });

  it.each([null, 'paused', 'line rate provider x model=y'])('has no model where it is %j', (other) => {
    expect(unservedModel({ parked: other })).toBe(null);
  });
});

describe('a call that was handed over', () => {
  it('says whom it is for, as that is called', () => {
    for (const provider of ['p', 'agent:ü x', 'bridge '])
      expect(awayProvider(parkedAway(provider))).toBe(provider);
    expect(awayProvider(parkedAway(null))).toBeNull();
  });

  it.each([null, 'paused', 'line rate x', 'provider x'])('is none where it is %j', (parked) => {
    expect(awayProvider(parked)).toBeNull();
  });

  it('is none that waits in a line or for a provider', () => {
    const parked = parkedAway('p');
    expect([isInLine(parked), lineOf(parked), unservedCall({ lane: 'a/v1', parked })]).toEqual([
      false,
      null,
      null,
    ]);
  });
});
