import { stringify } from "yaml";

/** What a kubeconfig says. */
export interface KubeconfigInput {
    /** Name of the sandbox: the context is `sandbox-<name>`. */
    name: string;
    server: string;
    /** PEM text of the certificate that the API server shows, which is its own authority. */
    certificateAuthority: string;
    token: string;
}

/** Name of the context, the cluster and the user in a sandbox's kubeconfig. */
function contextName(sandbox: string): string {
    return `sandbox-${sandbox}`;
}

/** A kubeconfig that stands alone: everything is in it, no file beside it is named. */
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

/** The API server's token file: one user, who may do all. */
export function renderTokens(token: string): string {
    return `${token},sandbox-admin,sandbox-admin,"system:masters"\n`;
}
