import type { RuleText } from './rule.ts';

export const simpleRules = {
  'simple-status': {
    level: 'error',
    expected: 'status: "success" or "error"',
    clause: 'simple-a2a: status',
    hint: 'success, completed and ok are success; error and failed are errors; anything else, and none at all, fails the task',
  },
  'simple-task-id': {
    level: 'warning',
    expected: 'the task_id of the request',
    clause: 'simple-a2a: task_id',
    hint: 'give task_id back as it came',
  },
  'simple-output': {
    level: 'warning',
    expected: 'output: {…}, with the result in text',
    clause: 'simple-a2a: output',
    hint: 'put the result into output.text, where other tasks look for it',
  },
  'simple-error': {
    level: 'warning',
    expected: 'error: a text with status error, and null with success',
    clause: 'simple-a2a: error',
    hint: 'say what went wrong, and only then',
  },
  'simple-input': {
    level: 'error',
    expected: 'an answer to an input that is a text',
    clause: 'simple-a2a: input is any JSON',
    hint: 'take a text as well as an object',
  },
  'simple-malformed': {
    level: 'warning',
    expected: 'HTTP 400, or status error',
    clause: 'simple-a2a; callers try again after 5xx',
    hint: 'refuse what cannot be read with HTTP 400',
  },
} as const satisfies Record<string, RuleText>;
