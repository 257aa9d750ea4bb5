import type { KubeConfig, KubernetesListObject, KubernetesObject, ListWatch } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { steadyNow } from "../clock";
import { limitedWatch } from "./limitedWatch";
import { type WatchTimes, watchTimes } from "./watchTimes";

/** What to watch: objects of one kind in a namespace. */
export interface WatchTarget<T extends KubernetesObject> {
    /** The path of the list, such as `/api/v1/namespaces/tidb/pods`. */
    readonly path: string;
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    /** Lists the same objects. */
    readonly list: () => Promise<KubernetesListObject<T>>;
    /** Whether the objects are read. Default: no, only their changes are noticed, and nothing but their metadata is kept. */
    readonly isRead?: boolean;
    /** Whether changes of an object with this name count. Default: all changes count. */
    readonly counts?: (name: string | undefined) => boolean;
}

/**
 * Objects of one kind, listed once and kept up to date by a watch of the client's library. Each request of the watch goes on
 * where the last one ended, also after a break. If the API server no longer knows that point (410 Gone), the objects are
 * listed again. A connection that is dead without having been closed is found out when the request should have ended.
 */
export class WatchedObjects<T extends KubernetesObject> {
    /** Whether the objects are complete: not before the first list, and not after a break. */
    synced = false;
    private syncedAt = 0;
    private failed = false;
    private pause: number;
    private retry: NodeJS.Timeout | undefined;

    private constructor(
        private readonly informer: ListWatch<T>,
        private readonly onChange: () => void,
        private readonly times: WatchTimes,
        private readonly stopping: AbortController,
    ) {
        this.pause = times.firstPauseMilliseconds;
    }

    /** Begins to watch. `onChange` is called after each change that counts, and whenever the objects become known or unknown. */
    static async begin<T extends KubernetesObject>(
        config: KubeConfig,
        { path, labelSelector, fieldSelector, list, isRead = false, counts = () => true }: WatchTarget<T>,
        onChange: () => void,
        times = watchTimes,
    ): Promise<WatchedObjects<T>> {
        const client = await import("@kubernetes/client-node");
        const stopping = new AbortController();
        const watch = limitedWatch(client, config, times, stopping.signal);
        const informer = new client.ListWatch<T>(path, watch, list, false, labelSelector, fieldSelector);
        const watched = new WatchedObjects<T>(informer, onChange, times, stopping);
        informer.on("change", (object) => {
            forgetUnread(object, isRead);
            if (counts(object.metadata?.name)) {
                onChange();
            }
        });
        informer.on("error", () => watched.broke());
        void watched.run();
        return watched;
    }

    /** The objects; `undefined` while it is not known whether they are complete. */
    objects(): readonly T[] | undefined {
        return this.synced ? this.informer.list() : undefined;
    }

    /** Ends the watch. The objects are not known any more. */
    async stop(): Promise<void> {
        this.synced = false;
        clearTimeout(this.retry);
        this.stopping.abort();
        await this.informer.stop();
    }

    private broke(): void {
        const { firstPauseMilliseconds, lastPauseMilliseconds, earliestEndMilliseconds } = this.times;
        // Only a watch that went well for a while begins with the first pause again.
        if (this.synced && steadyNow() - this.syncedAt >= earliestEndMilliseconds) {
            this.pause = firstPauseMilliseconds;
        }
        this.failed = true;
        this.synced = false;
        this.onChange();
        if (this.stopping.signal.aborted) {
            return;
        }
        this.retry = setTimeout(() => void this.run(), this.pause).unref();
        this.pause = Math.min(lastPauseMilliseconds, this.pause * 2);
    }

    private async run(): Promise<void> {
        this.failed = false;
        // Never rejects: it reports what fails as an error event.
        await this.informer.start();
        if (!this.failed && !this.stopping.signal.aborted) {
            this.synced = true;
            this.syncedAt = steadyNow();
            this.onChange();
        }
    }
}

/** Forgets most of an object's size. @param isRead whether somebody reads the rest. */
function forgetUnread(object: KubernetesObject & { spec?: unknown; status?: unknown }, isRead: boolean): void {
    delete object.metadata?.managedFields;
    if (!isRead) {
        delete object.spec;
        delete object.status;
    }
}
