import { describe, expect, it } from 'vitest';
import { protocol } from './typed.ts';

describe('protocol', () => {
  it('hands back what it was given', () => {
    const definition = { name: 'echo/v1', methods: { echo: { params: { text: { type: 'string' } } } } };
    expect(protocol(definition)).toBe(definition);
  });

  it('checks the definition when the program starts', () => {
    expect(() => protocol({ name: 'no version', methods: {} })).toThrow(/cannot name a protocol/);
  });
});
