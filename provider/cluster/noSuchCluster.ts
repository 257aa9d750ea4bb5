/** The namespace has no Lease of this name, which each cluster of pulumi-tidb has. */
export class NoSuchCluster extends Error {
    override readonly name = "NoSuchCluster";

    /** @param server The address of the API server that was asked. */
    constructor(namespace: string, cluster: string, server: string) {
        super(
            `no pulumi-tidb cluster named ${cluster} in namespace ${namespace} at ${server}: found no Lease; check the name, namespace and context`,
        );
    }
}
