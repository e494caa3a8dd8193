/** Values that the examples of several methods share. */
export const taskId = '0197c2a4-7c1e-7d3a-9a51-2f6b8f0e4c11';
export const otherTaskId = '0197c2a4-7c1e-7d3a-9a51-2f6b8f0e4c12';
export const workflowId = '0197c2a4-91b0-7f62-8c0e-5d2a1b3c4d5e';
export const at = '2026-01-05T09:30:00.000Z';
export const later = '2026-01-05T09:30:00.240Z';

export const call = { protocol: 'web-search/v1', method: 'search', params: { query: 'Python tutorials' } };

export const item = {
  task_id: taskId,
  id: 'search-task',
  workflow_id: workflowId,
  protocol: 'web-search/v1',
  status: 'completed',
  priority: 'normal',
  attempt_count: 1,
  created_at: at,
  settled_at: later,
  error: null,
  progress: null,
} as const;

export const run = {
  workflow_id: workflowId,
  name: 'Research and Summarize',
  version: null,
  status: 'running',
  created_at: at,
  settled_at: null,
  retry_of: null,
} as const;

export const workflow = {
  name: 'Research and Summarize',
  tasks: [
    { id: 'search-task', ...call },
    {
      id: 'summarize-task',
      protocol: 'llm/v1',
      method: 'generate',
      params: { prompt: 'Summarize these search results: ${search-task.result.results}' },
    },
  ],
};

export const tasks = { 'search-task': taskId, 'summarize-task': otherTaskId };

export const protocol = {
  name: 'web-search/v1',
  description: 'Searching the web',
  methods: {
    search: {
      params: { query: { type: 'string', required: true }, max_results: { type: 'integer', default: 10 } },
    },
  },
};
