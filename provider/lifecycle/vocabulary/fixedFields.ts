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
