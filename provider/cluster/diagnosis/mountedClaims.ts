import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** @returns the names of the claims that a pod mounts. */
export function mountedClaims({ spec }: V1Pod): string[] {
    return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
