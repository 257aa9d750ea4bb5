import { type Component, topology } from "../../../topology/members";
import type { PodWarning } from "./podNeeds";

/** The StorageClasses that members' claims name; null for a claim that names none and gets the default one. */
export type WantedClasses = Partial<Record<Component, readonly (string | null)[]>>;

/** A StorageClass of the Kubernetes cluster. */
export interface FoundClass {
    readonly name: string;
    readonly isDefault: boolean;
}

/**
 * Returns the warning about StorageClasses that do not exist. It is only a warning: another program may create the class, a volume
 * that was made by hand may have it, and claims that exist no longer need it.
 *
 * @param mayBeMade whether the program may create the class before the cluster, in the same update.
 */
export function missingClasses(wanted: WantedClasses, found: readonly FoundClass[], mayBeMade: boolean): PodWarning[] {
    const missing = new Map<string | null, Component[]>();
    for (const [component, classes] of Object.entries(wanted) as [Component, readonly (string | null)[]][]) {
        for (const name of new Set(classes)) {
            const exists = found.some((one) => (name === null ? one.isDefault : one.name === name));
            if (!exists && name !== "") {
                missing.set(name, [...(missing.get(name) ?? []), component]);
            }
        }
    }
    if (missing.size === 0) {
        return [];
    }
    const lines = [...missing].map(([name, members]) => {
        const titles = members.map((one) => topology[one].title).join(", ");
        return name === null
            ? `- no StorageClass is the default, and the claims of ${titles} name none`
            : `- StorageClass ${name} does not exist, and the claims of ${titles} name it`;
    });
    const there = found.length === 0 ? "There is none." : `There are: ${found.map(({ name }) => name).join(", ")}.`;
    const next = mayBeMade
        ? "If something that the TidbCluster depends on creates it, ignore this warning. Otherwise a pod that needs a new volume does not start"
        : "Create it first, or set storageClassName: a pod that needs a new volume does not start";
    const words = ["volumes cannot be made:", ...lines, `${there} ${next}`].join("\n");
    return [{ words, members: [...missing.values()].flat() }];
}
