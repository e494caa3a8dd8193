export function withInstallLock<Result>(folder: string, work: () => Promise<Result>): Promise<Result>;
