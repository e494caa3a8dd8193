/** What a key allows: to look, to send and steer work, to change what the system is made of. Each has those before it. */
export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];
