import type { ObservedCaptures, ObservedMember, ObservedPod } from "../lifecycle/vocabulary/observation";
import type { PodAnswer, PodCalls } from "./podCalls";
import type { ForwardedPod } from "./podForwards";

type CaptureStatus = ObservedCaptures["byPod"][string];

/**
 * TiCDC's API, as tidb-operator uses it (pkg/controller/ticdc_control.go). A version without a call answers 404, or a
 * page that is not JSON: then the call is not needed. 503 means that TiCDC is not ready.
 */
export class Captures {
    /** By the pod's UID. TiCDC reports the number only when told to move tables; it only shows the progress. */
    private readonly tablesLeft = new Map<string, number>();

    constructor(private readonly calls: PodCalls) {}

    async observe({ pods }: ObservedMember): Promise<ObservedCaptures> {
        this.calls.keepOnly(pods);
        const answers = await Promise.all(
            pods.map(async (pod): Promise<[ObservedPod, CaptureStatus]> => [pod, await this.statusOf(pod)]),
        );
        const byPod = Object.fromEntries(answers.map(([pod, status]) => [pod.name, status]));
        const asked = answers.find(([, status]) => "id" in status)?.[0];
        const list = asked ? await this.list(asked) : { trouble: "no capture of TiCDC answers" };
        const ownerId = Array.isArray(list) ? list.find((one) => one.isOwner)?.id : undefined;
        const owner = answers.find(([, status]) => "id" in status && status.id === ownerId)?.[0];
        return {
            byPod,
            list,
            ownerTrouble: owner && (await this.troubleOfOwner(owner)),
            tablesLeft: Object.fromEntries(this.tablesLeft),
        };
    }

    /** @throws Error if the pod does not answer or refuses; the error of `assertAllowed` if that keeps the request from being sent. */
    async resignOwner(pod: ForwardedPod, assertAllowed: () => void): Promise<void> {
        const request = { method: "POST", path: "/api/v1/owner/resign" } as const;
        assertAccepted(await this.calls.change(pod, request, assertAllowed), "to resign as the owner");
    }

    /** @throws as `resignOwner` does. */
    async drain(pod: ForwardedPod, capture: string, assertAllowed: () => void): Promise<void> {
        const request = { method: "PUT", path: "/api/v1/captures/drain", body: { capture_id: capture } } as const;
        const answer = await this.calls.change(pod, request, assertAllowed);
        assertAccepted(answer, "to move its tables");
        if (answer.status !== 503) {
            const left = parse(answer) as { current_table_count?: unknown } | undefined;
            this.tablesLeft.set(pod.uid, Number(left?.current_table_count ?? 0));
        }
    }

    private async statusOf(pod: ObservedPod): Promise<CaptureStatus> {
        if (!pod.ready || pod.terminating) {
            return { trouble: "is not Ready" };
        }
        try {
            const answer = await this.calls.call(pod, { path: "/status" });
            const status = answer.status < 300 ? (parse(answer) as { id?: unknown; version?: unknown }) : undefined;
            return typeof status?.id === "string"
                ? { id: status.id, version: String(status.version ?? "") }
                : { trouble: `answers ${answer.status} to /status, without a capture id` };
        } catch (error) {
            return { trouble: (error as Error).message };
        }
    }

    private async list(pod: ObservedPod): Promise<ObservedCaptures["list"]> {
        try {
            const answer = await this.calls.call(pod, { path: "/api/v1/captures" });
            if (answer.status === 503) {
                return { trouble: `TiCDC in ${pod.name} is not ready to list the captures (503)` };
            }
            if (isRedirect(answer)) {
                return { trouble: `TiCDC in ${pod.name} does not list the captures: ${answer.text}` };
            }
            const captures = answer.status === 404 ? undefined : parse(answer);
            return Array.isArray(captures) ? captures.map(toCapture) : "unsupported";
        } catch (error) {
            return { trouble: `TiCDC in ${pod.name} ${(error as Error).message}` };
        }
    }

    private async troubleOfOwner(pod: ObservedPod): Promise<string | undefined> {
        try {
            const answer = await this.calls.call(pod, { path: "/api/v1/health" });
            if (isRedirect(answer)) {
                return `${pod.name}, the owner of TiCDC, does not report TiCDC's health: ${answer.text}`;
            }
            return answer.status === 500
                ? `${pod.name}, the owner of TiCDC, reports that TiCDC is unhealthy (500)`
                : undefined;
        } catch (error) {
            return `${pod.name}, the owner of TiCDC, ${(error as Error).message}`;
        }
    }
}

function isRedirect({ status }: PodAnswer): boolean {
    return status >= 300 && status < 400;
}

function toCapture(capture: { id?: unknown; is_owner?: unknown }): { id: string; isOwner: boolean } {
    return { id: String(capture.id), isOwner: capture.is_owner === true };
}

/** 404 is a version without this call, 503 one that is not ready: the next observation shows what to do. */
function assertAccepted({ status, text }: PodAnswer, what: string): void {
    if (status >= 400 && status !== 404 && status !== 503) {
        throw new Error(`TiCDC was asked ${what} and answered ${status}: ${text.trim().slice(0, 200)}`);
    }
}

function parse({ text }: PodAnswer): unknown {
    try {
        return JSON.parse(text);
    } catch {
        // A page that is not JSON comes from a version without this call, as in tidb-operator.
        return undefined;
    }
}
