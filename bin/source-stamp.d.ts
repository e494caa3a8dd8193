export function sourceStamp(folder: string): string;
