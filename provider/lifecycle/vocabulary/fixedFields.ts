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
    /** The VolumeAttributesClass. Default: none. */
    attributesClass?: string;
}

/** In what a volume can differ from its template so that only another volume has it. */
export const outdatedIn = ["class", "size"] as const;
export type OutdatedIn = (typeof outdatedIn)[number];

/** A StatefulSet as the API server has it, as far as decisions look into it. */
export interface StatefulSetManifest {
    readonly spec: { readonly volumeClaimTemplates?: readonly ClaimTemplate[] };
}

/** A claim template of a StatefulSet. */
export interface ClaimTemplate {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly resources: { readonly requests: { readonly storage: string | number } } };
}
