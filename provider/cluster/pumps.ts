import type { PodCalls } from "./podCalls";
import type { ForwardedPod } from "./podForwards";

/** Pump's API, as tidb-operator uses it (pkg/binlog/binlog.go). */
export class Pumps {
    constructor(private readonly calls: PodCalls) {}

    /**
     * Tells a pump to go offline. Returns once it has agreed.
     * @throws Error if it does not answer or refuses; the error of `assertAllowed` if that keeps the request from being sent
     */
    async close(pod: ForwardedPod, nodeId: string, assertAllowed: () => void): Promise<void> {
        const path = `/state/${encodeURIComponent(nodeId)}/close`;
        const { status, text } = await this.calls.change(pod, { method: "PUT", path }, assertAllowed);
        // A refusal can also come with status 200; then the code in the body shows it.
        const code = /"code":\s*(\d+)/.exec(text)?.[1] ?? "";
        if (status >= 400 || code !== "200") {
            throw new Error(`Pump in ${pod.name} answered ${status} to PUT ${path}: ${text.trim().slice(0, 200)}`);
        }
    }
}
