import type {
    KubeConfig,
    KubernetesListObject,
    KubernetesObject,
    ListWatch,
    Watch,
} from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};

/**
 * How long one request of a watch lasts. The next one resumes where it ended. A connection that is dead without having been
 * closed is found out after this time.
 */
const requestSeconds = 60;
/** The API server ends the request in time; if it does not, the connection is dead. */
const graceMilliseconds = 10_000;
/** Pauses before a watch that broke begins again: the first one, doubled up to the last one. */
const [firstPauseMilliseconds, lastPauseMilliseconds] = [1_000, 30_000];

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
}

/**
 * Objects of one kind, listed once and kept up to date by a watch of the client's library. A watch that breaks goes on where
 * it broke; if the API server no longer knows that point (410 Gone), the objects are listed again.
 */
export class WatchedObjects<T extends KubernetesObject> {
    /** Whether the objects are complete: not before the first list, and not after a break. */
    synced = false;
    private failed = false;
    private stopped = false;
    private pause = firstPauseMilliseconds;

    private constructor(private readonly informer: ListWatch<T>) {}

    /** Begins to watch. `onChange` is called after each change, and whenever the objects become known or unknown. */
    static async begin<T extends KubernetesObject>(
        config: KubeConfig,
        { path, labelSelector, fieldSelector, list, isRead = false }: WatchTarget<T>,
        onChange: () => void,
    ): Promise<WatchedObjects<T>> {
        const client = await import("@kubernetes/client-node");
        class RenewedWatch extends client.Watch {
            override async watch(...[at, query, callback, done]: Parameters<Watch["watch"]>) {
                const limited = { ...query, timeoutSeconds: requestSeconds, allowWatchBookmarks: true };
                let deadline: NodeJS.Timeout | undefined;
                const request = await super.watch(at, limited, callback, (error: unknown) => {
                    clearTimeout(deadline);
                    done(error);
                });
                if (!request.signal.aborted) {
                    deadline = setTimeout(() => request.abort(), requestSeconds * 1_000 + graceMilliseconds).unref();
                }
                return request;
            }
        }
        const informer = new client.ListWatch<T>(
            path,
            new RenewedWatch(config),
            list,
            false,
            labelSelector,
            fieldSelector,
        );
        const watched = new WatchedObjects<T>(informer);
        informer.on("change", (object) => {
            forgetUnread(object, isRead);
            onChange();
        });
        informer.on("error", () => {
            watched.failed = true;
            watched.synced = false;
            onChange();
            if (watched.stopped) {
                return;
            }
            setTimeout(() => void watched.run(onChange), watched.pause).unref();
            watched.pause = Math.min(lastPauseMilliseconds, watched.pause * 2);
        });
        void watched.run(onChange);
        return watched;
    }

    /** The objects; `undefined` while it is not known whether they are complete. */
    objects(): readonly T[] | undefined {
        return this.synced ? this.informer.list() : undefined;
    }

    /** Ends the watch. The objects are not known any more. */
    async stop(): Promise<void> {
        this.synced = false;
        this.stopped = true;
        await this.informer.stop();
    }

    private async run(onChange: () => void): Promise<void> {
        this.failed = false;
        // Never rejects: it reports what fails as an error event.
        await this.informer.start();
        if (!this.failed) {
            this.synced = true;
            this.pause = firstPauseMilliseconds;
            onChange();
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
