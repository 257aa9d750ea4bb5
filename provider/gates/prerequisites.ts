import { isDeepStrictEqual } from "node:util";
import { type Component, components } from "../../topology/members";
import { type Permission, permissionsOf } from "../../topology/permissions";
import type { AccessAnswer } from "../cluster/accessReview";
import { KubernetesApiError } from "../cluster/apiCall";
import type { GatePorts } from "../cluster/gatePorts";
import { versionChanges } from "../lifecycle/prerequisites/downgrade";
import { judgeNamespace } from "../lifecycle/prerequisites/namespace";
import { asRules, permissionsNeeded, type UpdateKind } from "../lifecycle/prerequisites/permissionsNeeded";
import { noLook } from "../lifecycle/vocabulary/look";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import type { GateWorld } from "./gateWorld";
import { type ClusterProgramInputs, type PrerequisiteInputs, unknownPath, type WantedMember } from "./inputs";

type Values = Record<string, unknown>;
type WantedMembers = PrerequisiteInputs["members"];

/**
 * Finds what would let the update fail although every plan looks fine: a missing namespace, a missing permission, an
 * earlier version. Asked once for the cluster, before the other gates, and only if the program changed since the last
 * update: an update without a change costs no call.
 * @returns what is refused.
 */
export async function checkPrerequisites(
    olds: Values,
    program: ClusterProgramInputs,
    world: GateWorld,
    warn: (message: string) => unknown,
): Promise<Refusal[]> {
    const { prerequisites: asked, access, namespace, cluster } = program;
    if (!asked || program.paused || unknownPath([access, namespace, cluster]) !== undefined) {
        return [];
    }
    const isFirst = Object.keys(olds).length === 0;
    if (!isFirst && !programChanged(olds, program as unknown as Values)) {
        return [];
    }
    const ports = await world.open(program, "check");
    try {
        // Also the first question to an API server that may not answer: the next gates do not wait for it again.
        const hasLease = await hasReadableLease(ports);
        if (isFirst && !hasLease) {
            const state = await ports.access.namespaceState();
            const { refused, warning } = judgeNamespace(namespace, state, asked.namespaceMaker);
            if (warning !== undefined) {
                warn(warning);
            }
            if (refused || state === "missing") {
                // Nobody has permissions of a Role in a namespace that does not exist.
                return refused ? [refused] : [];
            }
        }
        const denied = asked.plansOnly
            ? undefined
            : await deniedPermissions(updateKind(olds, program, asked), program, ports, asked.sharesUser, warn);
        if (denied || isFirst) {
            return denied ? [denied] : [];
        }
        const known = Object.entries(asked.members).filter(([, member]) => unknownPath(member) === undefined);
        const { members } = await ports.look({
            ...noLook,
            components: known.map(([component]) => component as Component),
        });
        const { refused, warnings } = versionChanges(
            Object.fromEntries(known) as WantedMembers,
            members,
            membersBefore(olds) ?? {},
            asked.allowDowngrade,
        );
        warnings.forEach((warning) => warn(warning));
        return refused;
    } catch (error) {
        if (!(error instanceof KubernetesApiError)) {
            throw error;
        }
        // Without an answer, the check that follows warns for the whole cluster.
        if (error.status !== undefined) {
            warn(`could not check what the update needs: ${error.message}`);
        }
        return [];
    }
}

/** @returns whether the program asks for another cluster than the last update did. */
export function programChanged(olds: Values, news: Values): boolean {
    const askedOf = ({ components: names, memberReplicas, prerequisites = {} }: Values) => {
        const { members, objects } = prerequisites as Partial<PrerequisiteInputs>;
        return { names, memberReplicas, members, objects };
    };
    return !isDeepStrictEqual(askedOf(news), askedOf(olds));
}

function membersBefore(olds: Values): WantedMembers | undefined {
    return (olds.prerequisites as PrerequisiteInputs | undefined)?.members;
}

function updateKind(olds: Values, news: ClusterProgramInputs, { members, traits }: PrerequisiteInputs): UpdateKind {
    const before = membersBefore(olds) ?? {};
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
        stopsPods: !isFirst && (stops.length > 0 || changed.length > 0),
        changesReplicas: !isFirst && changed.length > 0,
        traits,
    };
}

/** Without permission to read the Lease, it counts as missing: the review of the permissions says so. */
async function hasReadableLease(ports: GatePorts): Promise<boolean> {
    try {
        return (await ports.lease()) !== undefined;
    } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 403) {
            return false;
        }
        throw error;
    }
}

async function deniedPermissions(
    kind: UpdateKind,
    { cluster, namespace }: ClusterProgramInputs,
    ports: GatePorts,
    sharesUser: boolean,
    warn: (message: string) => unknown,
): Promise<Refusal | undefined> {
    const answer = await ports.access.review(permissionsNeeded(permissionsOf(cluster), kind));
    if (answer.notKnown !== undefined) {
        warn(`could not check whether the permissions suffice for this update: ${answer.notKnown}`);
    }
    const sure = answer.denied.filter(({ byGates }) => byGates || sharesUser);
    const unsure = answer.denied.filter(({ byGates }) => !byGates && !sharesUser);
    if (unsure.length > 0) {
        warn(
            `${describeDenied(answer, unsure, namespace)} The Kubernetes provider needs this. If it uses another user, ignore this warning`,
        );
    }
    return sure.length === 0 ? undefined : { property: "access", reason: describeDenied(answer, sure, namespace) };
}

function describeDenied({ user }: AccessAnswer, denied: readonly Permission[], namespace: string): string {
    return `${user} lacks permissions that this update needs. Grant them by a Role in namespace ${namespace}, or use another kubeconfig or context:\n${asRules(denied).join("\n")}`;
}
