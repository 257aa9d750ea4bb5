import type { AccessReview } from "../../../provider/cluster/accessReview";

/** A cluster whose namespace exists and whose user may do everything. */
export const grantedAccess: AccessReview = {
    namespaceState: () => Promise.resolve("active"),
    absentSecrets: () => Promise.resolve([]),
    nodes: () => Promise.resolve(undefined),
    storageClasses: () => Promise.resolve(undefined),
    review: () => Promise.resolve({ user: "user ana", denied: [] }),
};
