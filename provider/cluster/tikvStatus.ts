import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedHeartbeats, ObservedPod } from "../lifecycle/vocabulary/observation";
import { defaultHeartbeats } from "../lifecycle/stages/trustedCounts";
import type { PodCalls } from "./podCalls";
import { heartbeatsIn, leadersGauge, leadersIn } from "./tikvPages";

/** Timeout of a call. A TiKV that serves answers in milliseconds. */
export const tikvStatusTimeoutMilliseconds = 3_000;
/** How long a process's configuration is reused. It can be changed while the process runs. */
const configMilliseconds = 60_000;
/** If the first pod does not answer, a second one is asked; more would only take longer. */
const maxAskedPerRevision = 2;

/** Reads from TiKV's processes, on their status port. */
export class TikvStatus {
    /** By process: a restarted process may read another configuration. */
    private readonly heartbeatsOf = new Map<string, { value: ObservedHeartbeats; at: number }>();

    /** @param now the run's own clock. */
    constructor(
        private readonly calls: Pick<PodCalls, "call" | "keepOnly">,
        private readonly now: () => number,
    ) {}

    /** Closes the connections to pods that are gone. */
    keepOnly(pods: readonly ObservedPod[]): void {
        this.calls.keepOnly(pods);
        const uids = new Set(pods.map(processOf));
        for (const uid of this.heartbeatsOf.keys()) {
            if (!uids.has(uid)) {
                this.heartbeatsOf.delete(uid);
            }
        }
    }

    /** @returns the number of leaders that each pod's store reports, by the pod's name. */
    async ownLeaders(names: readonly string[], pods: readonly ObservedPod[]): Promise<Record<string, Fact<number>>> {
        const answers = names.map(async (name): Promise<[string, Fact<number>]> => {
            const pod = pods.find((one) => one.name === name);
            return [name, pod ? await this.leadersOf(pod) : notKnown(`there is no pod ${name} to ask`)];
        });
        return Object.fromEntries(await Promise.all(answers));
    }

    /**
     * Asks one Ready pod of each revision, because all pods of a revision have the same configuration. For a revision that
     * cannot be asked, and for stores of other clusters, TiKV's defaults count.
     * @returns the longest intervals; not known if no pod could be asked.
     */
    async heartbeats(pods: readonly ObservedPod[], hasForeignStores: boolean): Promise<Fact<ObservedHeartbeats>> {
        const at = this.now();
        const revisions = [...new Set(pods.map(({ revision }) => revision))];
        const answers = await Promise.all(
            revisions.map((revision) => this.firstHeartbeats(pods.filter((pod) => pod.revision === revision))),
        );
        const reported = answers.flatMap((answer) => (answer.known ? [answer.value] : []));
        const why = answers.flatMap((answer) => (answer.known ? [] : [answer.why]));
        if (reported.length === 0) {
            return notKnown(why.join("; ") || "there is no pod of TiKV to ask");
        }
        const all = why.length > 0 || hasForeignStores ? [...reported, defaultHeartbeats] : reported;
        const longest = {
            region: Math.max(...all.map(({ region }) => region)),
            store: Math.max(...all.map(({ store }) => store)),
        };
        return known(longest, "TiKV", Math.min(at, ...answers.flatMap((answer) => (answer.known ? [answer.at] : []))));
    }

    private async leadersOf(pod: ObservedPod): Promise<Fact<number>> {
        const at = this.now();
        try {
            const { status, text } = await this.calls.call(pod, { path: "/metrics" });
            if (status !== 200) {
                return notKnown(`${pod.name} answers ${status} to /metrics`);
            }
            const leaders = leadersIn(text);
            return leaders === undefined
                ? notKnown(`${pod.name} does not report its number of leaders: no line of ${leadersGauge}`)
                : known(leaders, pod.name, at);
        } catch (error) {
            return notKnown(`${pod.name} ${(error as Error).message}`);
        }
    }

    /**
     * Uses what one of the pods answered a moment ago: a TiKV that has just started does not serve its status port yet.
     * A pod that has answered is asked again before any other, because the connection to it is open.
     * @returns the answer of the first pod that answers; it counts for the whole revision.
     */
    private async firstHeartbeats(pods: readonly ObservedPod[]): Promise<Fact<ObservedHeartbeats>> {
        const ready = pods.filter((pod) => pod.ready && !pod.terminating);
        let answer: Fact<ObservedHeartbeats> = notKnown(`none of ${pods.map(({ name }) => name).join(", ")} is Ready`);
        const recent = ready.find((pod) => this.recentHeartbeats(pod) !== undefined);
        const hasAnswered = (pod: ObservedPod) => Number(this.heartbeatsOf.has(processOf(pod)));
        const answeredFirst = [...ready].sort((one, other) => hasAnswered(other) - hasAnswered(one));
        for (const pod of recent ? [recent] : answeredFirst.slice(0, maxAskedPerRevision)) {
            answer = await this.heartbeatsOfPod(pod);
            if (answer.known) {
                break;
            }
        }
        return answer;
    }

    private recentHeartbeats(pod: ObservedPod): { value: ObservedHeartbeats; at: number } | undefined {
        const read = this.heartbeatsOf.get(processOf(pod));
        return read && this.now() - read.at < configMilliseconds ? read : undefined;
    }

    private async heartbeatsOfPod(pod: ObservedPod): Promise<Fact<ObservedHeartbeats>> {
        const at = this.now();
        const read = this.recentHeartbeats(pod);
        if (read) {
            return known(read.value, pod.name, read.at);
        }
        try {
            const { status, text } = await this.calls.call(pod, { path: "/config" });
            const value = status === 200 ? heartbeatsIn(text) : undefined;
            if (!value) {
                return notKnown(`${pod.name} answers ${status} to /config, without how often it reports to PD`);
            }
            this.heartbeatsOf.set(processOf(pod), { value, at });
            return known(value, pod.name, at);
        } catch (error) {
            return notKnown(`${pod.name} ${(error as Error).message}`);
        }
    }
}

/** @returns a key that differs from one process of the pod to the next. */
function processOf({ uid, container }: ObservedPod): string {
    const startedAt = container.known && container.value.is === "running" ? container.value.startedAt : "";
    return `${uid} ${startedAt}`;
}
