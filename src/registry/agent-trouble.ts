import { GleitzeitError } from '../core/errors.ts';
import { didYouMean } from '../core/suggest.ts';

export function unknownAgent(name: string, known: readonly string[]): GleitzeitError {
  const reason = `no agent is called "${name}"`;
  return new GleitzeitError('GLZ1010', reason, {
    field: 'name',
    reason,
    hint: didYouMean(name, known, 'registered agents'),
  });
}

export function alreadyThere(name: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `there is an agent "${name}" already`, {
    field: 'name',
    reason: 'names of agents are unique',
    hint: 'change that one, or give this one another name',
  });
}

export function ofTheProgram(name: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `the agent "${name}" is defined by the configuration`, {
    field: 'name',
    reason: 'what the configuration says of an agent wins over what is registered',
    hint: 'change it there, or give the other one another name',
  });
}
