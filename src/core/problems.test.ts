import { describe, expect, it } from 'vitest';
import { GleitzeitError } from './errors.ts';
import { Problems } from './problems.ts';
import { thrownBy } from './thrown.suite.ts';

describe('problems', () => {
  it('are no error while there are none', () => {
    expect(() => new Problems().throwIfAny()).not.toThrow();
  });

  it('become one error that speaks of the first and lists them all', () => {
    const problems = new Problems();
    problems.add('GLZ1006', { field: '/a', reason: 'is odd', hint: 'make it even' });
    problems.add('GLZ1001', { field: '/b', reason: 'is missing' });
    const error = thrownBy(() => problems.throwIfAny());
    expect(error.code).toBe('GLZ1006');
    expect(error.message).toBe('/a: is odd');
    expect(error.details).toEqual({
      field: '/a',
      reason: 'is odd',
      hint: 'make it even',
      details: {
        problems: [
          { field: '/a', reason: 'is odd', hint: 'make it even' },
          { field: '/b', reason: 'is missing' },
        ],
      },
    });
  });

  it('have no field in the message where it is the whole', () => {
    const problems = new Problems();
    problems.add('GLZ1001', { field: '', reason: 'must be an object' });
    expect(thrownBy(() => problems.throwIfAny()).message).toBe('must be an object');
  });

  it('stop at twenty', () => {
    const problems = new Problems();
    for (let i = 0; i < 19; i++) problems.add('GLZ1001', { field: `/${i}`, reason: 'x' });
    expect(problems.full).toBe(false);
    problems.add('GLZ1001', { field: '/19', reason: 'x' });
    expect(problems.full).toBe(true);
    problems.add('GLZ1001', { field: '/20', reason: 'x' });
    expect(thrownBy(() => problems.throwIfAny()).details.details).toHaveProperty('problems.length', 20);
  });

  it('take over what a stricter reader threw', () => {
    const problems = new Problems();
    problems.addThrown(
      new GleitzeitError('GLZ1007', 'too large', { field: '/p', reason: 'big', hint: 'less' }),
    );
    problems.addThrown(new GleitzeitError('GLZ1001', 'bare'));
    const error = thrownBy(() => problems.throwIfAny());
    expect(error.code).toBe('GLZ1007');
    expect(error.details.details).toEqual({
      problems: [
        { field: '/p', reason: 'big', hint: 'less' },
        { field: '', reason: 'bare' },
      ],
    });
  });

  it('let pass what is no error of ours', () => {
    const bug = new TypeError('a bug');
    expect(() => new Problems().addThrown(bug)).toThrow(bug);
  });
});
