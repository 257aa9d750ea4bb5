/** Fields of a StatefulSet that cannot be changed once it exists. */
export interface FixedFields {
    podManagementPolicy: string;
    serviceName: string;
    claims: FixedClaim[];
}

/** A volume claim template. */
export interface FixedClaim {
    name: string;
    /** Size, as the API server writes it. */
    storage: string;
    /** Empty for Kubernetes' default class. */
    storageClass: string;
}

/** A refused change: Pulumi would have to delete and recreate the StatefulSet. */
export interface RefusedChange {
    /** The field of the member's spec. */
    field: string;
    reason: string;
}

/** The field of most members with their volumes. */
export const usualVolumesField = "storageVolumes";

/**
 * @param volumesField the field of the spec with the volumes.
 * @returns the refusal for the first fixed field that differs from the live one; `undefined` if none does.
 */
export function refusedChange(
    live: FixedFields,
    wanted: FixedFields,
    volumesField = usualVolumesField,
): RefusedChange | undefined {
    for (const field of ["podManagementPolicy", "serviceName"] as const) {
        if (live[field] !== wanted[field]) {
            return refuse(field, wanted[field], live[field]);
        }
    }
    const names = (claims: FixedClaim[]) => claims.map((claim) => claim.name).join(", ") || "none";
    if (names(live.claims) !== names(wanted.claims)) {
        return refuse(volumesField, names(wanted.claims), names(live.claims));
    }
    for (const [index, claim] of wanted.claims.entries()) {
        const now = live.claims[index];
        if (claim.storageClass !== now.storageClass) {
            const word = (one: string) => one || "the default class";
            return refuse("storageClassName", word(claim.storageClass), word(now.storageClass), claim.name);
        }
        if (claim.storage !== now.storage) {
            return refuse("requests.storage", claim.storage, now.storage, claim.name);
        }
    }
    return undefined;
}

function refuse(field: string, found: string, expected: string, volume?: string): RefusedChange {
    const of = volume === undefined ? "" : ` for volume ${volume}`;
    return {
        field,
        reason: `found ${found}${of}, expected ${expected}, as in the live StatefulSet: Kubernetes cannot change this field, and pulumi-tidb never deletes a StatefulSet to recreate it. This version of pulumi-tidb does not change the volumes of a member that exists. Next: put back what the live StatefulSet has. To change it all the same, where the member can do without its data (PD and TiKV cannot): take the member out of the program, run \`pulumi up\`, and put it in again with the new value`,
    };
}
