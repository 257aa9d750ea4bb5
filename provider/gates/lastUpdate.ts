import { isDeepStrictEqual } from "node:util";
import { type Component, components } from "../../topology/members";
import type { UpdateKind } from "../lifecycle/prerequisites/permissionsNeeded";
import type { DeployedMembers } from "../lifecycle/prerequisites/seenVersions";
import type { ClusterProgramInputs, PrerequisiteInputs, WantedMember } from "./inputs";

/** How a program differs from that of the last update, whose inputs Pulumi keeps in its state. */

type Values = Record<string, unknown>;

/** @returns whether the cluster was not deployed before. A Lease that is created again comes with everything else in the namespace. */
export function isNewCluster(olds: Values, { leaseUid }: ClusterProgramInputs): boolean {
    return Object.keys(olds).length === 0 || leaseUid !== olds.leaseUid;
}

/** @returns the members that the last update deployed, with their versions, whether they run, use TLS, and were to recover from snapshots. */
export function deployedBefore(olds: Values): DeployedMembers {
    const names = (olds.components ?? []) as Component[];
    const { traits, recoveryMode } = (olds.prerequisites ?? {}) as Partial<PrerequisiteInputs>;
    const recovers = recoveryMode ? { recovers: recoveryMode } : {};
    const tls = traits?.includes("tls");
    return {
        ...Object.fromEntries(names.map((component) => [component, {}])),
        ...Object.fromEntries(
            Object.entries(membersBefore(olds) ?? {}).map(([component, { version, runs }]) => [
                component,
                { version, runs, tls, ...recovers },
            ]),
        ),
    };
}

/** @returns whether the program asks for another cluster than the last update did. */
export function programChanged(olds: Values, news: Values): boolean {
    const askedOf = ({ components: names, memberReplicas, prerequisites = {} }: Values) => {
        const { members, objects } = prerequisites as Partial<PrerequisiteInputs>;
        return { names, memberReplicas, members, objects };
    };
    return !isDeepStrictEqual(askedOf(news), askedOf(olds));
}

function membersBefore(olds: Values): PrerequisiteInputs["members"] | undefined {
    return (olds.prerequisites as PrerequisiteInputs | undefined)?.members;
}

/** @returns what the update does to the cluster that the last one deployed. */
export function updateKind(
    olds: Values,
    news: ClusterProgramInputs,
    { members, traits }: PrerequisiteInputs,
): UpdateKind {
    const known = membersBefore(olds);
    const before = known ?? {};
    const replicas = (olds.memberReplicas ?? {}) as ClusterProgramInputs["memberReplicas"];
    const of = (component: Component) => ({
        was: before[component],
        is: members[component] as WantedMember | undefined,
    });
    const changed = components.filter((component) => replicas[component] !== news.memberReplicas[component]);
    const stops = components.filter((component) => {
        const { was, is } = of(component);
        return was !== undefined && (is?.templateRevision !== was.templateRevision || is.runs !== was.runs);
    });
    const isFirst = Object.keys(olds).length === 0;
    return {
        isFirst,
        // A state that an earlier build wrote does not say whether a template changes.
        stopsPods: !isFirst && (known === undefined || stops.length > 0 || changed.length > 0),
        changesReplicas: !isFirst && changed.length > 0,
        suspends: !isFirst && Object.values(members).some(({ runs }) => !runs),
        traits,
    };
}
