import type { V1CronJob, V1Job, V1ObjectMeta, V1PodSpec } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import type { StorageUser } from "../../lifecycle/backups/leftBackup";

/** @returns a Job as a user of storages. */
export function jobAsUser({ metadata, spec, status }: V1Job): StorageUser {
    const { startTime, completionTime, conditions = [] } = status ?? {};
    const condition = (type: string) => conditions.find((one) => one.type === type && one.status === "True");
    const is = (type: string) => condition(type) !== undefined;
    const failed = condition("Failed");
    return {
        name: `Job ${nameOf(metadata)}`,
        uid: metadata?.uid ?? "",
        hasEnded: is("Complete") || is("Failed"),
        ...(startTime === undefined ? {} : { startedAt: timeOf(startTime) }),
        ...(is("Complete") && completionTime !== undefined ? { succeededAt: timeOf(completionTime) } : {}),
        ...(failed?.lastTransitionTime && !is("Complete") ? { failedAt: timeOf(failed.lastTransitionTime) } : {}),
        args: argumentsOf(spec?.template.spec),
    };
}

/** @returns a CronJob as a user of storages, whose work never ends. */
export function cronJobAsUser({ metadata, spec }: V1CronJob): StorageUser {
    return {
        name: `CronJob ${nameOf(metadata)}`,
        uid: metadata?.uid ?? "",
        hasEnded: false,
        args: argumentsOf(spec?.jobTemplate.spec?.template.spec),
    };
}

function nameOf(metadata: V1ObjectMeta | undefined): string {
    return `${metadata?.namespace}/${metadata?.name}`;
}

/** The client has dates; an API server that is played in a test has texts. */
function timeOf(time: Date | string): number {
    return new Date(time).getTime();
}

/** @returns the arguments of all its containers. */
export function argumentsOf(pod: V1PodSpec | undefined): string[] {
    return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].flatMap(({ args = [] }) => args);
}
