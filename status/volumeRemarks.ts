import { memberLifecycles } from "../provider/lifecycle/members/memberLifecycles";
import { bytesInWords } from "../provider/lifecycle/vocabulary/bytesInWords";
import { amountOf, isSmaller } from "../provider/lifecycle/vocabulary/claimState";
import { grownInWords, lastGrowth } from "../provider/lifecycle/volumes/autoGrowth";
import { usualVolumesField } from "../provider/lifecycle/volumes/refusedChange";
import type { Observation, ObservedMember } from "../provider/lifecycle/vocabulary/observation";
import { claimName } from "../topology/podNames";
import { type Component, topology } from "../topology/members";
import { isLimited } from "./claimStatus";
import type { ClusterStatus, StoreStatus } from "./clusterStatus";
import { listed } from "./listed";

/** What the status says of volumes that are too small, or of another size than the program's. */

/** Returns a note on each store to which PD moves no region: PD says so nowhere, and what needs room on it waits. */
export function lowStores({ stores, members }: Pick<ClusterStatus, "stores" | "members">): string[] {
    return (stores.known ? stores.value : [])
        .filter(({ own, isLowOnSpace }) => own && isLowOnSpace === true)
        .map((store) => {
            const { pod, id, capacityBytes, availableBytes } = store;
            const [size, free] = [capacityBytes ?? 0, availableBytes ?? 0];
            const used = `${100 - Math.floor((100 * free) / size)}% of ${bytesInWords(size)} is used`;
            return `${pod} (store ${id}): ${used}, so PD moves no region to it (schedule.low-space-ratio). Next: ${moreSpace(store, members)}`;
        });
}

function moreSpace(store: StoreStatus, members: ClusterStatus["members"]): string {
    const { engine, pod, claimBytes } = store;
    const grows = members.flatMap(({ pods }) => pods).find(({ name }) => name === pod)?.claims ?? [];
    if (grows.some(({ growth }) => growth !== null)) {
        return "let its volume grow: the pod's line says what that waits for";
    }
    return isLimited(store)
        ? `its claim has ${bytesInWords(claimBytes ?? 0)}, so raise its limit, such as limits.storage, or add a store`
        : `raise ${sizeField(engine, engine)} in the program, or add a store`;
}

/** The field of the program with the size of the volumes of a claim template. The template of a data volume has the member's name. */
function sizeField(component: Component, template: string): string {
    const { field = component, volumesField } = memberLifecycles[component];
    const isData = volumesField === undefined && template === component;
    return `spec.${field}.${isData ? "requests.storage" : (volumesField ?? usualVolumesField)}`;
}

/**
 * Returns notes on the claims of each template that request more than the StatefulSet says: grown by `operations.volumes`, enlarged by hand, or
 * by an update that has not ended.
 */
export function largerClaims({ cluster, members }: Pick<Observation, "cluster" | "members">): string[] {
    return Object.values(members).flatMap((member) =>
        (member.statefulSet?.fixed.claims ?? []).flatMap((template) => largerThan(cluster, member, template)),
    );
}

function largerThan(
    cluster: string,
    { component, claims }: ObservedMember,
    { name: template, storage }: { readonly name: string; readonly storage: string },
): string[] {
    const larger = claims.filter(
        ({ name, ordinal, released, terminating, state }) =>
            name === claimName(template, cluster, component, ordinal) &&
            !released &&
            !terminating &&
            isSmaller(storage, state?.requested),
    );
    const others = larger.filter((claim) => lastGrowth(claim) === undefined);
    const sizes = others.map(({ state }) => state?.requested ?? "").sort(bySize);
    const of = topology[component].title;
    return [
        ...larger.flatMap((claim) => {
            const grown = lastGrowth(claim);
            return grown === undefined
                ? []
                : `${of}: ${claim.name}: ${claim.state?.requested} requested, ${grownInWords(grown)}; the StatefulSet says ${storage}, and new pods get that`;
        }),
        ...(others.length === 0
            ? []
            : [
                  `${of}: ${listed(others.map(({ name }) => name))}: up to ${sizes[0]} requested, but the StatefulSet says ${storage}, and new pods get that. Next: set ${sizes[0]} in ${sizeField(component, template)}`,
              ]),
    ];
}

/** The largest first. */
function bySize(one: string, other: string): number {
    return isSmaller(one, other) ? 1 : amountOf(one) === amountOf(other) ? 0 : -1;
}
