import { stringify } from "yaml";

/** The contents of a kubeconfig. */
export interface KubeconfigInput {
    /** The name of the sandbox. The context is `sandbox-<name>`. */
    name: string;
    server: string;
    /** PEM text of the API server's certificate. It is self-signed, so it is also its own certificate authority. */
    certificateAuthority: string;
    token: string;
}

/** The name of the context, the cluster and the user in a sandbox's kubeconfig. */
function contextName(sandbox: string): string {
    return `sandbox-${sandbox}`;
}

/** Returns a self-contained kubeconfig, which refers to no other file. */
export function renderKubeconfig(input: KubeconfigInput): string {
    const name = contextName(input.name);
    return stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [
            {
                name,
                cluster: {
                    server: input.server,
                    "certificate-authority-data": Buffer.from(input.certificateAuthority).toString("base64"),
                },
            },
        ],
        users: [{ name, user: { token: input.token } }],
        contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
        "current-context": name,
    });
}

/** Returns the API server's token file: one user with all permissions. */
export function renderTokens(token: string): string {
    return `${token},sandbox-admin,sandbox-admin,"system:masters"\n`;
}
