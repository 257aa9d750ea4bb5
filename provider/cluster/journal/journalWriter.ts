import type { V1ConfigMap } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { clusterLabels, componentLabel, managedByLabel } from "../../../topology/labels";
import { journalName, leaseName } from "../../../topology/names";
import { operationsToDrop } from "../../lifecycle/journal/journalBounds";
import type { JournalOperation } from "../../lifecycle/journal/journalOperation";
import { operationText } from "../../lifecycle/journal/journalText";
import { isRefusal, undefinedIfNotFound } from "../apiCall";
import type { ClusterId } from "../clusterId";
import type { KubernetesApi } from "../kubernetesApi";

type Api = Pick<KubernetesApi, "readLease" | "readConfigMap" | "createConfigMap" | "patchConfigMap">;

/** Two writes are at least this far apart, except at the end of an operation. */
const shortestPauseMilliseconds = 2_000;
/** A journal of this many bytes is written once a second at most, a longer one less often: the API server answers with all of it. */
const bytesPerSecond = 64 * 1024;
/** The label that tells the journal from other ConfigMaps of the cluster. */
const component = "journal";

/** Writes the operations of one process to the cluster's journal: a ConfigMap with one key for each operation. */
export class JournalWriter {
    private readonly waiting = new Map<string, JournalOperation>();
    /** Operations of this process that were written. */
    private readonly known = new Set<string>();
    /** The bytes of each operation in the journal, when it was last written. */
    private sizes: ReadonlyMap<string, number> = new Map();
    private timer: NodeJS.Timeout | undefined;
    private writes: Promise<void> = Promise.resolve();
    private nextAt = -Infinity;
    private failure: Error | undefined;
    private isOff = false;

    /** @param now milliseconds of a steady clock. */
    constructor(
        private readonly api: Api,
        private readonly id: Pick<ClusterId, "namespace" | "cluster" | "instance">,
        private readonly now: () => number,
    ) {}

    /** Writes the operation soon, in place of its earlier version. */
    keep(operation: JournalOperation): void {
        if (this.isOff) {
            return;
        }
        this.waiting.set(operation.id, operation);
        this.schedule();
    }

    /** Writes what waits to be written. @returns why it could not be written; undefined if it was. Never rejects. */
    write(): Promise<Error | undefined> {
        clearTimeout(this.timer);
        this.timer = undefined;
        this.nextAt = this.now() + shortestPauseMilliseconds;
        this.writes = this.writes.then(() => this.writeWaiting());
        return this.writes.then(() => this.failure);
    }

    private schedule(): void {
        const again = () => {
            this.timer = undefined;
            // The journal may have grown since the timer was set.
            if (this.now() < this.nextAt) {
                this.schedule();
            } else {
                void this.write();
            }
        };
        this.timer ??= setTimeout(again, Math.max(0, this.nextAt - this.now())).unref();
    }

    private async writeWaiting(): Promise<void> {
        const operations = [...this.waiting.values()];
        this.waiting.clear();
        for (const operation of operations) {
            try {
                await this.writeOne(operation);
                this.failure = undefined;
            } catch (error) {
                this.failure = error as Error;
                this.isOff ||= isRefusal(error);
                if (!this.isOff && !this.waiting.has(operation.id)) {
                    this.waiting.set(operation.id, operation);
                }
                this.nextAt = this.now() + shortestPauseMilliseconds;
            }
        }
    }

    private async writeOne(operation: JournalOperation): Promise<void> {
        const { namespace, cluster } = this.id;
        const name = journalName(cluster);
        const text = operationText(operation);
        // Another process may have written since: an operation begins with what is there.
        if (!this.known.has(operation.id)) {
            this.sizes = sizesOf(this.own(await this.api.readConfigMap(namespace, name)));
        }
        const dropped = operationsToDrop(new Map([...this.sizes, [operation.id, text.length]]), operation.id);
        const binaryData = { ...Object.fromEntries(dropped.map((id) => [id, null])), [operation.id]: text };
        const written =
            (await undefinedIfNotFound(this.api.patchConfigMap(namespace, name, { binaryData }))) ??
            (await this.create({ [operation.id]: text }));
        this.known.add(operation.id);
        this.sizes = sizesOf(written);
        const bytes = [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
        this.nextAt = this.now() + Math.max(shortestPauseMilliseconds, (bytes / bytesPerSecond) * 1_000);
    }

    /** The journal goes with the cluster's Lease: without one, the cluster is destroyed, and no journal is left behind. */
    private async create(binaryData: Record<string, string>): Promise<V1ConfigMap | undefined> {
        const { namespace, cluster, instance } = this.id;
        const lease = await this.api.readLease(namespace, leaseName(cluster));
        const uid = lease?.metadata?.uid;
        if (uid === undefined) {
            return undefined;
        }
        const owner = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", name: leaseName(cluster), uid };
        return this.api.createConfigMap(namespace, {
            metadata: {
                name: journalName(cluster),
                labels: { ...clusterLabels(instance), [componentLabel]: component },
                ownerReferences: [owner],
            },
            binaryData,
        });
    }

    /** @returns the ConfigMap, if it is the journal. @throws Error if somebody else's has its name. */
    private own(found: V1ConfigMap | undefined): V1ConfigMap | undefined {
        const labels = found?.metadata?.labels ?? {};
        const expected = clusterLabels(this.id.instance)[managedByLabel];
        if (found && (labels[managedByLabel] !== expected || labels[componentLabel] !== component)) {
            this.isOff = true;
            throw new Error(
                `ConfigMap ${journalName(this.id.cluster)} is not a journal: expected the labels ${managedByLabel}: ${expected} and ${componentLabel}: ${component}. Rename or delete it`,
            );
        }
        return found;
    }
}

function sizesOf(journal: V1ConfigMap | undefined): Map<string, number> {
    return new Map(Object.entries(journal?.binaryData ?? {}).map(([id, text]) => [id, text.length]));
}
