export const minimum: readonly number[];
export function isRecentEnough(version: string): boolean;
export function tooOldMessage(version: string, inClone: boolean): string;
