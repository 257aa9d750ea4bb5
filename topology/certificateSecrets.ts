import { components } from "./members";
import { clientSecretName, memberSecretName, sqlClientSecretName, sqlServerSecretName } from "./names";

/** Returns the names of the Secrets with certificates that a cluster may have. */
export function certificateSecretNames(cluster: string): string[] {
    return [
        ...components.map((component) => memberSecretName(cluster, component)),
        clientSecretName(cluster),
        sqlServerSecretName(cluster),
        sqlClientSecretName(cluster),
    ];
}
