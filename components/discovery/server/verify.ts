import type { PdGet } from "./pdMembers";
import { readMembers } from "./pdMembers";
import type { Settings } from "./settings";

/** The addresses to use; or, with a `problem`, the address from the request. */
export interface Verified {
    readonly address: string;
    readonly problem?: string;
}

/**
 * Returns the PD addresses for a member of a cluster that spans Kubernetes clusters (tidb-operator
 * pkg/discovery/discovery.go, VerifyPDEndpoint). If the cluster does not have its own PD, it is the headless Service of the
 * cluster that it joins. Otherwise it is the address from the request, followed by those of all healthy members in other
 * Kubernetes clusters, which are read from PD. If the request has no scheme, the addresses have none either.
 */
export async function verifyAddress(
    address: string,
    settings: Settings,
    pdUrls: readonly string[],
    get: PdGet,
): Promise<Verified> {
    const scheme = address.includes("://") ? address.slice(0, address.indexOf("://") + 3) : "";
    const reference = settings.reference;
    if (reference && !settings.hasPd) {
        const port = address.match(/:([0-9]+)$/)?.[1] ?? "2379";
        return { address: `${scheme}${reference.name}-pd-peer.${reference.namespace}.svc${reference.domain}:${port}` };
    }
    const problems: string[] = [];
    for (const url of pdUrls) {
        try {
            const [members, health] = await Promise.all([
                get(`${url}/pd/api/v1/members`),
                get(`${url}/pd/api/v1/health`),
            ]);
            const listed = members.status === 200 ? readMembers(members.body) : undefined;
            if (listed && health.status === 200) {
                const healthy = healthyNames(health.body);
                const elsewhere = listed
                    .filter((member) => healthy.has(member.name) && !isOwn(member.clientUrls[0] ?? "", settings))
                    .flatMap((member) => member.clientUrls.slice(0, 1))
                    .map((clientUrl) => (scheme === "" ? clientUrl.replace(/^https?:\/\//, "") : clientUrl));
                return { address: [address, ...elsewhere].join(",") };
            }
            problems.push(`${new URL(url).host}: HTTP ${members.status} for members, ${health.status} for health`);
        } catch (error) {
            problems.push(error instanceof Error ? error.message : String(error));
        }
    }
    return { address, problem: `could not read PD's members: ${problems.join("; ") || "no PD to ask"}` };
}

function healthyNames(body: string): Set<string> {
    const parsed: unknown = JSON.parse(body);
    const entries = Array.isArray(parsed) ? (parsed as { name?: string; health?: boolean }[]) : [];
    return new Set(entries.filter((entry) => entry.health === true).map((entry) => entry.name ?? ""));
}

function isOwn(clientUrl: string, settings: Settings): boolean {
    const host = clientUrl.replace(/^https?:\/\//, "").replace(/:[0-9]+$/, "");
    return host.endsWith(`.${settings.name}-pd-peer.${settings.namespace}.svc${settings.domain}`);
}
