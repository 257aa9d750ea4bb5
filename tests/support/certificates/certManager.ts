import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { createAuthority, issue, type Issued, secretData } from "./certificates";

/**
 * Simulates cert-manager in a sandbox: its two kinds of objects, as far as the example uses them, and their controller.
 */
export interface CertManager {
    /** Reissues the certificate of a Secret, as cert-manager does some time before it expires. */
    renew(namespace: string, secretName: string): Promise<void>;
    stop(): Promise<void>;
}

interface Certificate {
    metadata: { name: string; namespace: string; generation: number };
    spec: {
        secretName: string;
        commonName?: string;
        dnsNames?: string[];
        ipAddresses?: string[];
        usages?: ("server auth" | "client auth")[];
        isCA?: boolean;
        issuerRef: { name: string };
    };
    status?: { conditions?: { type: string; status: string; observedGeneration?: number }[] };
}

interface Issuer {
    metadata: { name: string; namespace: string };
    spec: { selfSigned?: object; ca?: { secretName: string } };
}

const group = "cert-manager.io";
const version = "v1";
const pollMilliseconds = 100;

/**
 * Creates the kinds in the cluster and starts issuing.
 * @param log receives errors after which the work is retried
 */
export async function startCertManager(
    kubeconfigFile: string,
    log: (line: string) => void = () => undefined,
): Promise<CertManager> {
    const client = await import("@kubernetes/client-node");
    const kubeconfig = new client.KubeConfig();
    kubeconfig.loadFromFile(kubeconfigFile);
    const custom = kubeconfig.makeApiClient(client.CustomObjectsApi);
    const core = kubeconfig.makeApiClient(client.CoreV1Api);
    await defineKinds(client, kubeconfig);

    const list = async <T>(plural: string) =>
        (await custom.listClusterCustomObject({ group, version, plural })).items as T[];
    const readAuthority = async (namespace: string, name: string): Promise<Issued | undefined> => {
        const { data } = await core.readNamespacedSecret({ namespace, name }).catch(orNothing(client));
        const decode = (key: string) => Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
        return data && { cert: decode("tls.crt"), key: decode("tls.key") };
    };
    const writeSecret = async (namespace: string, name: string, stringData: Record<string, string>) => {
        const body = { metadata: { name }, type: "kubernetes.io/tls", stringData };
        const { metadata } = await core.readNamespacedSecret({ namespace, name }).catch(orNothing(client));
        await (metadata
            ? core.replaceNamespacedSecret({ namespace, name, body })
            : core.createNamespacedSecret({ namespace, body }));
    };
    /** @returns whether it could be issued, which requires its issuer and the issuer's own certificate */
    const issueFor = async ({ metadata: { namespace }, spec }: Certificate, issuers: Issuer[]): Promise<boolean> => {
        const issuer = issuers.find(
            ({ metadata }) => metadata.namespace === namespace && metadata.name === spec.issuerRef.name,
        );
        const name = spec.commonName ?? spec.dnsNames?.[0] ?? "";
        if (issuer?.spec.selfSigned && spec.isCA) {
            const own = await createAuthority(name);
            await writeSecret(namespace, spec.secretName, secretData(own, own));
            return true;
        }
        const authority = issuer?.spec.ca && (await readAuthority(namespace, issuer.spec.ca.secretName));
        if (!authority) {
            return false;
        }
        const names = [name, ...(spec.dnsNames ?? []), ...(spec.ipAddresses ?? [])];
        const issued = await issue(authority, names, { usages: spec.usages });
        await writeSecret(namespace, spec.secretName, secretData(authority, issued));
        return true;
    };
    const markReady = ({ metadata: { namespace, name, generation } }: Certificate) =>
        custom.patchNamespacedCustomObjectStatus(
            {
                ...{ group, version, plural: "certificates", namespace, name },
                body: { status: { conditions: [{ type: "Ready", status: "True", observedGeneration: generation }] } },
            },
            client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch),
        );
    const round = async (): Promise<void> => {
        const [certificates, issuers] = await Promise.all([list<Certificate>("certificates"), list<Issuer>("issuers")]);
        for (const certificate of certificates.filter((one) => !isReady(one))) {
            if (await issueFor(certificate, issuers)) {
                await markReady(certificate);
            }
        }
    };

    let stopped = false;
    const working = (async () => {
        while (!stopped) {
            // A namespace that is being deleted accepts no new objects, and its objects may disappear during a round.
            await round().catch((error: unknown) => log(`cannot issue certificates: ${String(error)}; retrying`));
            await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
        }
    })();
    return {
        renew: async (namespace, secretName) => {
            const certificates = await list<Certificate>("certificates");
            const certificate = certificates.find(
                ({ metadata, spec }) => metadata.namespace === namespace && spec.secretName === secretName,
            );
            if (!certificate || !(await issueFor(certificate, await list<Issuer>("issuers")))) {
                throw new Error(
                    `found no Certificate with a working issuer for Secret ${secretName} in namespace ${namespace}`,
                );
            }
        },
        stop: async () => {
            stopped = true;
            await working;
        },
    };
}

function isReady({ metadata, status }: Certificate): boolean {
    return (status?.conditions ?? []).some(
        ({ type, status: state, observedGeneration }) =>
            type === "Ready" && state === "True" && observedGeneration === metadata.generation,
    );
}

/** Treats an object that does not exist as an empty one. */
function orNothing(client: typeof k8s) {
    return (error: unknown): Partial<k8s.V1Secret> => {
        if (error instanceof client.ApiException && error.code === 404) {
            return {};
        }
        throw error;
    };
}

async function defineKinds(client: typeof k8s, kubeconfig: k8s.KubeConfig): Promise<void> {
    const api = kubeconfig.makeApiClient(client.ApiextensionsV1Api);
    for (const kind of ["Certificate", "Issuer"]) {
        const singular = kind.toLowerCase();
        const names = { kind, singular, plural: `${singular}s` };
        const schema = { openAPIV3Schema: { type: "object", x_kubernetes_preserve_unknown_fields: true } };
        const name = `${names.plural}.${group}`;
        await api.createCustomResourceDefinition({
            body: {
                metadata: { name },
                spec: {
                    group,
                    names,
                    scope: "Namespaced",
                    versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
                },
            },
        });
        for (let established = false; !established;) {
            await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
            const { status } = await api.readCustomResourceDefinition({ name });
            established =
                status?.conditions?.some((one) => one.type === "Established" && one.status === "True") ?? false;
        }
    }
}
