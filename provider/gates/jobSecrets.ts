import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { awaitedSecrets, warningOfSecrets } from "../lifecycle/jobs/jobSecrets";
import type { JobObservation, JobSecret, JobTarget } from "../lifecycle/jobs/observedJob";
import { unknownPath } from "./inputs";
import type { JobPorts } from "./jobWorld";
import { type Notice, noticesOf } from "../lifecycle/vocabulary/notices";

type Ports = Pick<JobPorts, "absentSecrets">;

const everyMilliseconds = 5_000;

/** @returns what adds to a look which Secrets a Job waits for that do not exist. While a run waits, they are asked for again every few seconds. */
export function secretLooks(ports: Ports): (observation: JobObservation) => Promise<JobObservation> {
    let absent: readonly string[] = [];
    let askedAt = -Infinity;
    return async (observation) => {
        const awaited = awaitedSecrets(observation);
        if (awaited.length === 0) {
            return observation;
        }
        if (observation.now - askedAt >= everyMilliseconds) {
            askedAt = observation.now;
            absent = await ports.absentSecrets(awaited.map(({ name }) => name));
        }
        return { ...observation, absentSecrets: absent };
    };
}

/** @returns what to know before a Job runs, as far as it is known. */
export function cautionOf(caution: string | undefined): Notice[] {
    return noticesOf("manifest", caution === "" || unknownPath(caution) !== undefined ? undefined : caution);
}

/** @returns the warning about Secrets that do not exist, before a Job runs. Where it is not known, nothing is said: the wait for the Job says it. */
export async function missingBefore(
    target: Pick<JobTarget, "namespace" | "job">,
    secrets: readonly JobSecret[] = [],
    open: () => Promise<Ports>,
): Promise<Notice[]> {
    if (secrets.length === 0 || unknownPath([target.namespace, secrets]) !== undefined) {
        return [];
    }
    try {
        const absent = await (await open()).absentSecrets(secrets.map(({ name }) => name));
        const missing = secrets.filter(({ name }) => absent.includes(name));
        return noticesOf("object-missing", ...warningOfSecrets(target, missing));
    } catch (error) {
        if (error instanceof KubernetesApiError || error instanceof ClusterAccessError) {
            return [];
        }
        throw error;
    }
}
