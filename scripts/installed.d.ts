type Entry = {
  version?: string;
  integrity?: string;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
};

export function platformNode(root: string, platform?: string, arch?: string): string;
export function installedMatchesLockfile(root: string): boolean;
export function samePackages(wanted: Record<string, Entry>, found: Record<string, Entry>): boolean;
export function refusedOnlyOtherPlatforms(root: string, said: string): boolean;
