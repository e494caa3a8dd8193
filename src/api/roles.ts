/**
 * What a key allows: to look, to send and steer work, to change what the system is made of. Each has those before it. `bridge`
 * stands apart: it looks, and is shown the secrets of agents, which nobody else is.
 */
export const roles = ['viewer', 'operator', 'admin', 'bridge'] as const;
export type Role = (typeof roles)[number];
