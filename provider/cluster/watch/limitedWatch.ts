import type { Agent } from "node:http";
import type { KubeConfig, Watch } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type * as kubernetesClient from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { steadyNow } from "../clock";
import type { WatchTimes } from "./watchTimes";

/** The API server no longer knows the point where a watch was. */
const gone = 410;

/**
 * @param stop ends the request that is open, and no other begins.
 * @returns the client's watch, with requests of limited time. A request ends without an error only if it ended on time.
 * Otherwise it ends with an error, which the client's informer reports instead of asking again at once.
 */
export function limitedWatch(
    client: typeof kubernetesClient,
    config: KubeConfig,
    times: WatchTimes,
    stop: AbortSignal,
): Watch {
    class LimitedWatch extends client.Watch {
        override watch(...[path, query, callback, done]: Parameters<Watch["watch"]>): Promise<AbortController> {
            const request = new AbortController();
            return new Promise((resolve) => {
                const began = steadyNow();
                const connection = new Connection(config);
                let failure: Error | undefined;
                let isOver = false;
                const close = () => {
                    isOver = true;
                    clearTimeout(deadline);
                    stop.removeEventListener("abort", close);
                    connection.cut();
                    resolve(request);
                };
                const end = (error: unknown) => {
                    if (isOver) {
                        return;
                    }
                    close();
                    if (isGone(error)) {
                        // The informer then lists the objects when it begins again, and not at once.
                        callback("ERROR", { code: gone });
                    }
                    const broke = error ?? failure ?? tooEarly(steadyNow() - began, times);
                    done(broke && new Error("the watch broke", { cause: broke }));
                };
                const deadline = setTimeout(
                    () => end(new Error("the request is dead")),
                    times.deadlineMilliseconds,
                ).unref();
                request.signal.addEventListener("abort", close);
                stop.addEventListener("abort", close);
                if (stop.aborted) {
                    close();
                    return;
                }
                const limited = { ...query, timeoutSeconds: times.requestSeconds, allowWatchBookmarks: true };
                const notice = (type: string, object: Status, event?: unknown) => {
                    if (isOver) {
                        return;
                    }
                    failure = type === "ERROR" ? new Error(object.message) : failure;
                    callback(type, object, event);
                };
                new client.Watch(connection.config).watch(path, limited, notice, end).then((begun) => {
                    if (isOver) {
                        begun.abort();
                    }
                    resolve(request);
                }, end);
            });
        }
    }
    return new LimitedWatch(config);
}

/** What an event of the type ERROR tells. */
interface Status {
    readonly message?: string;
}

/** The connection of one request, which has an agent of its own. It can be cut before the answer has begun. */
class Connection {
    readonly config: KubeConfig;
    private agent: Agent | undefined;
    private isCut = false;

    constructor(original: KubeConfig) {
        const applyToFetchOptions: KubeConfig["applyToFetchOptions"] = async (options) => {
            const applied = await original.applyToFetchOptions(options);
            if (this.isCut) {
                throw new Error("the request was ended before it began");
            }
            this.agent = applied.agent as Agent | undefined;
            return { ...applied, redirect: "error" };
        };
        this.config = Object.create(original, { applyToFetchOptions: { value: applyToFetchOptions } }) as KubeConfig;
    }

    cut(): void {
        this.isCut = true;
        this.agent?.destroy();
    }
}

function isGone(error: unknown): boolean {
    return (error as { statusCode?: number } | null)?.statusCode === gone;
}

function tooEarly(lasted: number, { earliestEndMilliseconds }: WatchTimes): Error | undefined {
    return lasted < earliestEndMilliseconds ? new Error(`ended after ${Math.round(lasted)} ms`) : undefined;
}
