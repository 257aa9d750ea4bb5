/** A StatefulSet as the API server has it, as far as decisions look into it. */
export interface StatefulSetManifest {
    readonly spec: { readonly volumeClaimTemplates?: readonly ClaimTemplate[] };
}

/** A claim template of a StatefulSet. */
export interface ClaimTemplate {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } };
}
