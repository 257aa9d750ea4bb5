import { headlessServiceName } from "../../topology/names";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import { podOfHost } from "../lifecycle/vocabulary/identity";
import type { LabelledServer, ObservedPod } from "../lifecycle/vocabulary/observation";
import type { ClusterId } from "./clusterId";
import type { PodCalls } from "./podCalls";
import type { ForwardedPod } from "./podForwards";

/** A server of TiDB answered, and did not do what was asked. */
export class TidbRefusal extends Error {}

/** The labels of TiDB's servers, on their status port (pingcap/tidb pkg/server/handler/tikvhandler). They are lost at a restart. */
export class TidbLabels {
    /** @param now the run's own clock. */
    constructor(
        private readonly calls: Pick<PodCalls, "call" | "change" | "keepOnly">,
        private readonly now: () => number,
        private readonly id: ClusterId,
    ) {}

    /** @returns the cluster's own servers, as the first Ready one lists them: they share the list in PD's etcd. */
    async read(pods: readonly ObservedPod[]): Promise<Fact<readonly LabelledServer[]>> {
        this.calls.keepOnly(pods);
        const troubles: string[] = [];
        for (const { name, uid } of pods.filter(({ ready, terminating }) => ready && !terminating)) {
            const at = this.now();
            try {
                const { status, text } = await this.calls.call({ name, uid }, { path: "/info/all" });
                const servers = status === 200 ? this.serversIn(text) : undefined;
                if (servers !== undefined) {
                    return known(servers, name, at);
                }
                troubles.push(`${name} answers ${status}: ${text.trim().slice(0, 200)}`);
            } catch (error) {
                troubles.push(`${name} ${(error as Error).message}`);
            }
        }
        return notKnown(troubles.length > 0 ? troubles.join("; ") : "no TiDB pod is Ready");
    }

    /**
     * Adds labels to those of a server. It keeps its others.
     * @throws TidbRefusal if it refuses; Error if it does not answer; the error of `assertAllowed` if that keeps the request from being sent.
     */
    async set(pod: ForwardedPod, labels: Readonly<Record<string, string>>, assertAllowed: () => void): Promise<void> {
        const request = { method: "POST", path: "/labels", body: labels } as const;
        const { status, text } = await this.calls.change(pod, request, assertAllowed);
        if (status !== 200) {
            throw new TidbRefusal(
                `TiDB in ${pod.name} answered POST /labels with ${status}: ${text.trim().slice(0, 200)}`,
            );
        }
    }

    private serversIn(text: string): LabelledServer[] | undefined {
        const { all_servers_info: all } = JSON.parse(text) as {
            all_servers_info?: Record<string, ListedProcess>;
        };
        if (all === undefined) {
            return undefined;
        }
        const service = headlessServiceName(this.id.cluster, "tidb");
        const byPod = new Map<string, ListedProcess[]>();
        for (const process of Object.values(all)) {
            const podName = podOfHost(String(process.ip), service, this.id);
            if (podName !== undefined) {
                byPod.set(podName, [...(byPod.get(podName) ?? []), process]);
            }
        }
        return [...byPod].flatMap(([podName, processes]) => {
            const newest = newestOf(processes);
            return newest ? [{ podName, version: String(newest.version), labels: newest.labels ?? {} }] : [];
        });
    }
}

/** A process of TiDB in the list of its cluster. */
interface ListedProcess {
    readonly ip?: unknown;
    readonly version?: unknown;
    /** When it started, in seconds. */
    readonly start_timestamp?: number;
    readonly labels?: Record<string, string> | null;
}

/**
 * TiDB lists processes, not pods: a killed one stays for up to ten minutes (pingcap/tidb pkg/domain/infosync/info.go, InfoSessionTTL).
 * @returns the process that runs in a pod that is Ready; `undefined` if the list does not tell.
 */
function newestOf(processes: readonly ListedProcess[]): ListedProcess | undefined {
    const startOf = ({ start_timestamp: at }: ListedProcess) => at ?? -Infinity;
    const [newest, next] = [...processes].sort((one, other) => startOf(other) - startOf(one));
    return next !== undefined && !(startOf(newest) > startOf(next)) ? undefined : newest;
}
