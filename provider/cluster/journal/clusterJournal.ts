import { operationId } from "../../lifecycle/journal/journalText";
import { firstStep, KubernetesApiError } from "../apiCall";
import type { ClusterId } from "../clusterId";
import type { Progress } from "../gatePorts";
import type { KubernetesApi } from "../kubernetesApi";
import { EventWriter } from "./eventWriter";
import type { JournalPort } from "./journalPort";
import { JournalWriter } from "./journalWriter";

type Api = ConstructorParameters<typeof JournalWriter>[0] & Pick<KubernetesApi, "createEvent">;

/** How long the end of an operation waits until its record is written. */
const writtenWithinMilliseconds = 3_000;

const journalRule = '{ apiGroups: [""], resources: [configmaps], verbs: [get, create, patch] }';
const eventsRule = "{ apiGroups: [events.k8s.io], resources: [events], verbs: [create] }";

/** The journal and the Events that all gates of one process write for one cluster. */
export class ClusterJournal {
    private readonly journal: JournalWriter;
    private readonly events: EventWriter;
    private readonly warned = new Set<string>();
    private begun = 0;

    constructor(
        api: Api,
        id: ClusterId,
        private readonly holder: string,
        private readonly now: () => number,
    ) {
        this.journal = new JournalWriter(api, id, now);
        this.events = new EventWriter(api, id.namespace, holder);
    }

    /** @returns the journal for one gate, which gets the warnings. */
    port(progress: Pick<Progress, "warn">): JournalPort {
        return {
            holder: this.holder,
            newId: () => operationId(this.now(), this.holder, (this.begun += 1)),
            keep: (operation) => this.journal.keep(operation),
            tell: (events) => this.events.tell(events),
            written: () => this.written(progress),
        };
    }

    private async written({ warn }: Pick<Progress, "warn">): Promise<void> {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<"late">((resolve) => (timer = setTimeout(resolve, writtenWithinMilliseconds, "late")));
        const all = Promise.all([this.journal.write(), this.events.written()]);
        const found = await Promise.race([all, late]);
        clearTimeout(timer);
        const silence = new Error(`the API server did not answer within ${writtenWithinMilliseconds / 1000} s`);
        const [journal, events] = found === "late" ? [silence, undefined] : found;
        this.warnOnce("the journal of the cluster's last operations was", journal, journalRule, warn);
        this.warnOnce("Kubernetes Events of what is done were", events, eventsRule, warn);
    }

    private warnOnce(what: string, error: Error | undefined, rule: string, warn: Progress["warn"]): void {
        if (error === undefined || this.warned.has(what)) {
            return;
        }
        this.warned.add(what);
        const grant = `grant the user of \`access\` this rule in the namespace: ${rule}`;
        const isDenied = error instanceof KubernetesApiError && error.isDenied;
        const advice = isDenied ? `. To have it, ${firstStep(error, grant)}` : "";
        const message = `${what} not written: ${error.message}. Everything else goes on${advice}`;
        warn({ code: "journal-not-written", message });
    }
}
