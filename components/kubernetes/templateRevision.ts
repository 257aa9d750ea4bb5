import { createHash } from "node:crypto";

/** @returns a digest of a template that does not depend on the order of its keys. */
export function templateRevision(template: unknown): string {
    return stableDigest(template);
}

/** @returns a digest of a plain value that does not depend on the order of its keys. */
export function stableDigest(value: unknown): string {
    return createHash("sha256").update(stable(value)).digest("hex").slice(0, 12);
}

function stable(value: unknown): string {
    return JSON.stringify(value, (_key, inner: unknown) =>
        typeof inner === "object" && inner !== null && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
            : inner,
    );
}
