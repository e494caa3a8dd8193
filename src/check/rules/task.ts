import type { RuleText } from './rule.ts';

export const taskRules = {
  'result-shape': {
    level: 'error',
    expected: 'a task or a message: told by kind (0.3), or in a member task or message (1.0)',
    clause: 'A2A 1.0 §3.1.1 (0.3: §7.1)',
    hint: 'write results as the version that was asked for does',
  },
  'task-state': {
    level: 'error',
    expected: 'status.state, a word of the version that was asked for',
    clause: 'A2A §4.1.3 (0.3: §6.3)',
    hint: '0.3 has submitted, working, input-required, completed, canceled, failed, rejected, auth-required; 1.0 the same as TASK_STATE_COMPLETED',
  },
  'task-members': {
    level: 'error',
    expected: 'id and contextId, in camelCase',
    clause: 'A2A §4.1.1, §5.5 (0.3: §6.1)',
    hint: 'give every task an id and a context of its own',
  },
  'task-ids': {
    level: 'error',
    expected: 'another id for another task',
    clause: 'A2A §3.4.2',
    hint: 'make a new id for each message that continues no task',
  },
  'context-kept': {
    level: 'error',
    expected: 'the contextId that the message names, or an error',
    clause: 'A2A §3.4.1',
    hint: 'keep the context of a message: what belongs together is known by it',
  },
  'message-to-unknown': {
    level: 'error',
    expected: 'error -32001',
    clause: 'A2A §3.4.2',
    hint: 'refuse messages to tasks that you do not know: they would begin anew what somebody wants to go on with',
  },
  'message-to-ended': {
    level: 'warning',
    expected: 'an error, usually -32004',
    clause: 'A2A §3.1.1: tasks that have ended take no more messages',
    hint: 'refuse messages to tasks that have ended; a new one in the same context begins a new task',
  },
  'task-kept': {
    level: 'error',
    expected: 'the task that was just made, by its id',
    clause: 'A2A §3.1.3 (0.3: §7.3)',
    hint: 'keep tasks for a while after they ended: callers whose connection broke ask for them',
  },
  'task-not-found': {
    level: 'error',
    expected: 'error -32001',
    clause: 'A2A §3.3.2 (0.3: §8.2): TaskNotFoundError',
    hint: 'serve tasks/get and GetTask, and answer ids that you do not know with -32001',
  },
  'history-length': {
    level: 'warning',
    expected: 'no history where historyLength is 0',
    clause: 'A2A 1.0 §3.2.4',
    hint: 'send as much of the history as was asked for',
  },
  messages: {
    level: 'error',
    expected: 'messageId, parts, and a role: user or agent (0.3), ROLE_USER or ROLE_AGENT (1.0)',
    clause: 'A2A §4.1.4 (0.3: §6.4)',
    hint: 'correct the message',
  },
  parts: {
    level: 'error',
    expected: 'text, data or a file in each part; with kind on 0.3, without it on 1.0',
    clause: 'A2A §4.1.6 (0.3: §6.5)',
    hint: 'write parts as the version that was asked for does',
  },
  artifacts: {
    level: 'error',
    expected: 'artifactId and at least one part',
    clause: 'A2A §4.1.7 (0.3: §6.7)',
    hint: 'complete the artifact',
  },
  timestamps: {
    level: 'warning',
    expected: 'ISO 8601 in UTC: 2026-01-31T12:00:00.000Z',
    clause: 'A2A §5.6.1',
    hint: 'write times in UTC with a Z at the end',
  },
  output: {
    level: 'warning',
    expected: 'artifacts, or a message of the agent',
    clause: 'A2A §3.7: results are artifacts',
    hint: 'put the result into an artifact; without one, tasks get the whole answer as their result',
  },
  work: {
    level: 'note',
    expected: 'a task that completes',
    clause: 'A2A §4.1.3',
    hint: 'give a text that the agent can work on with --text',
  },
  'cancel-unknown': {
    level: 'error',
    expected: 'error -32001',
    clause: 'A2A §3.1.5 (0.3: §7.4)',
    hint: 'serve tasks/cancel and CancelTask, and answer ids that you do not know with -32001',
  },
  'cancel-ended': {
    level: 'warning',
    expected: 'error -32002',
    clause: 'A2A §3.1.5 (0.3: §8.2): TaskNotCancelableError',
    hint: 'refuse to cancel what has ended',
  },
} as const satisfies Record<string, RuleText>;
