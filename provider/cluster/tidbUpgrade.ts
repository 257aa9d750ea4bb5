import { headlessServiceName } from "../../topology/names";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import { podOfHost } from "../lifecycle/vocabulary/identity";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import type { ObservedUpgrade, UpgradedServer, UpgradeState } from "../lifecycle/vocabulary/smoothUpgrade";
import type { ClusterId } from "./clusterId";
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
        private readonly calls: Pick<PodCalls, "call" | "change" | "keepOnly">,
        private readonly now: () => number,
        private readonly id: ClusterId,
    ) {}

    /** @returns the state that the first Ready server knows; the servers share it. */
    async read(pods: readonly ObservedPod[]): Promise<Fact<ObservedUpgrade>> {
        this.calls.keepOnly(pods);
        const troubles: string[] = [];
        for (const { name, uid } of pods.filter(({ ready, terminating }) => ready && !terminating)) {
            const at = this.now();
            try {
                const state = await this.stateOf({ name, uid });
                if ("state" in state) {
                    return known({ ...state, pod: name, uid }, name, at);
                }
                troubles.push(`${name} answers ${inWords(state)}`);
            } catch (error) {
                troubles.push(`${name} ${(error as Error).message}`);
            }
        }
        return notKnown(troubles.length > 0 ? troubles.join("; ") : "no TiDB pod is Ready");
    }

    /** @throws Error if the server does not answer or refuses; the error of `assertAllowed` if that keeps the request from being sent. */
    start(pod: ForwardedPod, assertAllowed: () => void): Promise<void> {
        return this.change(pod, "/upgrade/start", assertAllowed);
    }

    /** @throws as `start` does. */
    finish(pod: ForwardedPod, assertAllowed: () => void): Promise<void> {
        return this.change(pod, "/upgrade/finish", assertAllowed);
    }

    /** @returns the answer that does not say it, if so. `show` lists the servers only while they have several versions. */
    private async stateOf(pod: ForwardedPod): Promise<UpgradeState | PodAnswer> {
        const shown = await this.calls.call(pod, { method: "POST", path: "/upgrade/show" });
        if (shown.status === 200 && shown.text.includes(normal)) {
            return { state: "normal" };
        }
        const percent = percentIn(shown);
        if (percent === undefined) {
            return shown;
        }
        const all = await this.calls.call(pod, { path: "/info/all" });
        const list = this.serversIn(all);
        return list?.length ? { state: "upgrading", servers: { percent, list } } : all;
    }

    private serversIn(answer: PodAnswer): UpgradedServer[] | undefined {
        const all = parsed(answer) as
            { all_servers_info?: Record<string, { ip?: unknown; version?: unknown }> } | undefined;
        const service = headlessServiceName(this.id.cluster, "tidb");
        return (
            all?.all_servers_info &&
            Object.values(all.all_servers_info).map(({ ip, version }) => ({
                address: String(ip),
                version: String(version),
                isOurs: podOfHost(String(ip), service, this.id) !== undefined,
            }))
        );
    }

    /** What the answer says is not believed: the state is read back. */
    private async change(pod: ForwardedPod, path: string, assertAllowed: () => void): Promise<void> {
        const answer = await this.calls.change(pod, { method: "POST", path }, assertAllowed);
        if (answer.status !== 200) {
            throw new Error(`TiDB in ${pod.name} answered POST ${path} with ${inWords(answer)}`);
        }
    }
}

/** TiDB writes one JSON text after the other. */
function percentIn({ status, text }: PodAnswer): number | undefined {
    const shown = parsed({ status, text: text.slice(0, text.lastIndexOf("}") + 1) }) as
        { upgraded_percent?: unknown } | undefined;
    return typeof shown?.upgraded_percent === "number" ? shown.upgraded_percent : undefined;
}

function parsed({ status, text }: PodAnswer): unknown {
    try {
        return status === 200 ? JSON.parse(text) : undefined;
    } catch {
        return undefined;
    }
}

function inWords({ status, text }: PodAnswer): string {
    return `${status}: ${text.trim().slice(0, 200)}`;
}
