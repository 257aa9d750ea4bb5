import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import type { ObservedUpgrade, UpgradedServers } from "../lifecycle/vocabulary/smoothUpgrade";
import type { PodAnswer, PodCalls } from "./podCalls";
import type { ForwardedPod } from "./podForwards";

/** TiDB waits up to 10 s for the owner of its DDL before it answers `start` (pkg/server/handler/upgrade_handler.go). */
export const tidbUpgradeTimeoutMilliseconds = 30_000;

/** What `show` answers while the cluster is not being upgraded. */
const normal = "The cluster state is normal.";

/** The calls about TiDB's smooth upgrade, on the status port of any of its servers. */
export class TidbUpgrade {
    /** @param now the run's own clock. */
    constructor(
        private readonly calls: Pick<PodCalls, "call" | "keepOnly">,
        private readonly now: () => number,
    ) {}

    /** @returns the state that the first Ready server knows; the servers share it. */
    async read(pods: readonly ObservedPod[]): Promise<Fact<ObservedUpgrade>> {
        this.calls.keepOnly(pods);
        const troubles: string[] = [];
        for (const { name, uid } of pods.filter(({ ready, terminating }) => ready && !terminating)) {
            const at = this.now();
            try {
                const answer = await this.calls.call({ name, uid }, { method: "POST", path: "/upgrade/show" });
                const state = stateOf(answer);
                if (state !== undefined) {
                    return known({ ...state, pod: name, uid }, name, at);
                }
                troubles.push(`${name} answers ${inWords(answer)}`);
            } catch (error) {
                troubles.push(`${name} ${(error as Error).message}`);
            }
        }
        return notKnown(troubles.length > 0 ? troubles.join("; ") : "no TiDB pod is Ready");
    }

    /** @throws Error if the server does not answer or refuses. */
    async start(pod: ForwardedPod): Promise<void> {
        await this.change(pod, "/upgrade/start");
    }

    /** @throws Error if the server does not answer or refuses. */
    async finish(pod: ForwardedPod): Promise<void> {
        await this.change(pod, "/upgrade/finish");
    }

    /** What the answer says is not believed: the state is read back. */
    private async change(pod: ForwardedPod, path: string): Promise<void> {
        const answer = await this.calls.call(pod, { method: "POST", path });
        if (answer.status !== 200) {
            throw new Error(`TiDB in ${pod.name} answered POST ${path} with ${inWords(answer)}`);
        }
    }
}

function stateOf({ status, text }: PodAnswer): Pick<ObservedUpgrade, "state" | "servers"> | undefined {
    if (status !== 200) {
        return undefined;
    }
    if (text.includes(normal)) {
        return { state: "normal" };
    }
    const servers = serversIn(text);
    return servers && { state: "upgrading", servers };
}

/** TiDB writes one JSON text after the other. The list of servers is there if they have several versions. */
function serversIn(text: string): UpgradedServers | undefined {
    let shown: { upgraded_percent?: unknown; servers_num?: unknown; all_servers_diff_info?: unknown };
    try {
        shown = JSON.parse(text.slice(0, text.lastIndexOf("}") + 1)) as typeof shown;
    } catch {
        return undefined;
    }
    const { upgraded_percent: percent, servers_num: count = 0, all_servers_diff_info: infos = [] } = shown;
    if (typeof percent !== "number" || typeof count !== "number" || !Array.isArray(infos)) {
        return undefined;
    }
    const list = (infos as { ip?: unknown; version?: unknown }[]).map(
        ({ ip, version }) => `${String(ip)} (${String(version)})`,
    );
    return { count, percent, list };
}

function inWords({ status, text }: PodAnswer): string {
    return `${status}: ${text.trim().slice(0, 200)}`;
}
