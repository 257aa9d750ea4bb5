import type { ObjectEvent } from "../../lifecycle/journal/objectEvents";
import { KubernetesApiError } from "../apiCall";
import type { KubernetesApi } from "../kubernetesApi";

/** How many Events may wait to be written. The journal has what is dropped. */
const mostWaiting = 100;

/** Writes Events, one at a time. Kubernetes deletes them after an hour, unless its administrator has set another time. */
export class EventWriter {
    private waiting = 0;
    private writes: Promise<void> = Promise.resolve();
    private failure: Error | undefined;
    private isOff = false;

    /** @param by the lock holder's name of this process. */
    constructor(
        private readonly api: Pick<KubernetesApi, "createEvent">,
        private readonly namespace: string,
        private readonly by: string,
    ) {}

    /** Writes the Events soon. */
    tell(events: readonly ObjectEvent[]): void {
        const at = new Date();
        for (const event of events) {
            if (this.isOff || this.waiting >= mostWaiting) {
                return;
            }
            this.waiting += 1;
            this.writes = this.writes.then(() => this.write(event, at));
        }
    }

    /** Waits until all Events are written or given up. @returns why one could not be written. Never rejects. */
    async written(): Promise<Error | undefined> {
        await this.writes;
        return this.failure;
    }

    private async write(event: ObjectEvent, at: Date): Promise<void> {
        this.waiting -= 1;
        if (this.isOff) {
            return;
        }
        try {
            await this.api.createEvent(this.namespace, event, this.by, at);
        } catch (error) {
            this.failure = error as Error;
            this.isOff = error instanceof KubernetesApiError && [401, 403, 404].includes(error.status ?? 0);
        }
    }
}
