import { readFileSync } from "node:fs";
import { join } from "node:path";
import { httpGet, type GetResult } from "./httpGet";
import type { ListedMember, PdAnswer } from "./model";
import type { Settings } from "./settings";

/** Folder where PD's certificate is mounted. Discovery presents it to PD. */
export const pdTlsFolder = "/var/lib/pd-tls";

/** Sends a GET request to a URL of PD. Tests replace it. */
export type PdGet = (url: string) => Promise<GetResult>;

/** Creates a GET function that uses the mounted certificate for https. It reads the files for each call, because they are renewed. */
export function pdGet(timeoutMilliseconds: number, tlsFolder: string = pdTlsFolder): PdGet {
    return async (url) => {
        const read = (name: string) => readFileSync(join(tlsFolder, name), "utf8");
        const tls = url.startsWith("https:")
            ? { ca: read("ca.crt"), cert: read("tls.crt"), key: read("tls.key") }
            : undefined;
        return httpGet(url, { timeoutMilliseconds, tls });
    };
}

/** @returns the URLs of the cluster's own PD: its Service, then each existing or desired member of the StatefulSet. */
export function ownPdUrls(settings: Settings, ordinals: readonly number[]): string[] {
    if (!settings.hasPd) {
        return [];
    }
    const { scheme, name, namespace, domain } = settings;
    const service = `${name}-pd.${namespace}${domain === "" ? "" : `.svc${domain}`}`;
    const members = ordinals.map((ordinal) => `${name}-pd-${ordinal}.${name}-pd-peer.${namespace}.svc${domain}`);
    return [service, ...members].map((host) => `${scheme}://${host}:2379`);
}

/** @returns the URL of PD in the cluster that this one joins. Across Kubernetes clusters only the headless Service can be resolved. */
export function referencePdUrls(settings: Settings): string[] {
    const { reference, acrossK8s } = settings;
    if (!reference) {
        return [];
    }
    const service = acrossK8s ? `${reference.name}-pd-peer` : `${reference.name}-pd`;
    const suffix = reference.domain === "" && !acrossK8s ? "" : `.svc${reference.domain}`;
    return [`${settings.scheme}://${service}.${reference.namespace}${suffix}:2379`];
}

/** Asks all URLs for their members at the same time. The first list, in the order of the URLs, is used. */
export async function askMembers(urls: readonly string[], own: boolean, get: PdGet): Promise<PdAnswer> {
    const answers = await Promise.all(urls.map((url) => askOne(url, own, get)));
    const best = answers.find((one) => one.kind === "members") ?? answers.find((one) => one.kind === "present");
    if (best) {
        return best;
    }
    const details = answers.map((one) => ("detail" in one ? one.detail : ""));
    return { kind: "none", detail: details.join("; ") || "no PD to ask" };
}

async function askOne(url: string, own: boolean, get: PdGet): Promise<PdAnswer> {
    let result: GetResult;
    try {
        result = await get(`${url}/pd/api/v1/members`);
    } catch (error) {
        return { kind: "none", detail: error instanceof Error ? error.message : String(error) };
    }
    const members = result.status === 200 ? readMembers(result.body) : undefined;
    if (members) {
        return { kind: "members", own, members };
    }
    const detail = `${new URL(url).host}: HTTP ${result.status} ${JSON.stringify(result.body.slice(0, 120))}`;
    // PD's errors contain an error code. A service mesh may answer for a PD that does not exist, so other errors prove nothing.
    return result.body.includes("[PD:") ? { kind: "present", own, detail } : { kind: "none", detail };
}

/** @returns the members in PD's answer to `GET /pd/api/v1/members`; undefined if it is not such an answer. */
export function readMembers(body: string): ListedMember[] | undefined {
    let parsed: unknown;
    try {
        parsed = JSON.parse(body);
    } catch {
        return undefined;
    }
    const members = (parsed as { members?: unknown } | null)?.members;
    if (!Array.isArray(members) || members.length === 0) {
        return undefined;
    }
    const texts = (value: unknown) =>
        Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
    return members.map((member: { name?: unknown; peer_urls?: unknown; client_urls?: unknown }) => ({
        name: typeof member.name === "string" ? member.name : "",
        peerUrls: texts(member.peer_urls),
        clientUrls: texts(member.client_urls),
    }));
}
