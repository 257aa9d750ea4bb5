import { createHash } from "node:crypto";

/**
 * Annotation of a StatefulSet: the digest of the pod template as it was rendered. By it a gate tells, in a preview and
 * after a run that was killed, whether the live StatefulSet has the wanted template already.
 */
export const templateRevisionAnnotation = "pulumi.com/tidb-template-revision";

/** @returns a digest of a template that is the same whatever the order of its keys is. */
export function templateRevision(template: unknown): string {
    return createHash("sha256").update(stable(template)).digest("hex").slice(0, 12);
}

function stable(value: unknown): string {
    return JSON.stringify(value, (_key, inner: unknown) =>
        typeof inner === "object" && inner !== null && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
            : inner,
    );
}
