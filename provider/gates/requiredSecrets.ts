import { isDeepStrictEqual } from "node:util";
import { ClusterAccessError } from "../cluster/access";
import { KubernetesApiError } from "../cluster/apiCall";
import { missingClasses } from "../lifecycle/prerequisites/missingClasses";
import { missingSecrets } from "../lifecycle/prerequisites/missingSecrets";
import { missingForPods, type PodWarning, tooLargePods, unplacedPods } from "../lifecycle/prerequisites/podNeeds";
import { type Component, topology } from "../../topology/members";
import type { MemberRisk } from "../lifecycle/walks/warnedRisks";
import type { GateWorld } from "./gateWorld";
import { type ClusterProgramInputs, type PrerequisiteInputs, unknownPath } from "./inputs";
import { listed } from "../lifecycle/vocabulary/counted";
import { asksForPrerequisites } from "./prerequisites";
import type { Notice, NoticeCode } from "../lifecycle/vocabulary/notices";

/** A warning, and what it puts at risk, in short. */
interface Lack extends Notice {
    /** Of every member. Default: of none. */
    readonly risk?: string;
    /** Of some members. Default: of none. */
    readonly memberRisk?: MemberRisk;
}

/**
 * Looks what pods lack, once for the cluster: if the program changed, and of Secrets and ConfigMaps until the cluster was healthy once. What
 * may not be read, or whose answer fails, is not known to be missing.
 */
export async function whatPodsLack(
    olds: Record<string, unknown>,
    program: ClusterProgramInputs,
    world: GateWorld,
): Promise<Lack[]> {
    const { certificates = [], mayGrant = false, podNeeds, storageClasses = {} } = program.prerequisites ?? {};
    // In a preview, what another resource makes is not known yet.
    const ifKnown = <T>(value: T | undefined): T | undefined => (unknownPath(value) === undefined ? value : undefined);
    const objects = podNeeds?.objects.filter((one) => ifKnown(one)) ?? [];
    const { pods: before } = (olds.prerequisites as Partial<PrerequisiteInputs> | undefined)?.podNeeds ?? {};
    const pods = ifKnown(podNeeds?.pods) ?? {};
    const classes = ifKnown(storageClasses) ?? {};
    const asks = asksForPrerequisites(olds, program);
    const isChanged = asks === "changed";
    const asksObjects = certificates.length + objects.length > 0;
    if (asks === "never" || (!isChanged && !asksObjects)) {
        return [];
    }
    try {
        const { access, lease } = await world.open(program, "check");
        if (!isChanged && (await lease())?.pdClusterId !== undefined) {
            return [];
        }
        const absent = async (names: string[], kind?: "configMap"): Promise<string[]> =>
            names.length > 0 ? access.absentSecrets([...new Set(names)], kind) : [];
        const namesOf = (kind?: "configMap") => objects.filter((one) => one.kind === kind).map(({ name }) => name);
        const [secrets, configMaps, nodes, found] = await Promise.all([
            absent([...certificates.map(({ secretName }) => secretName), ...namesOf()]),
            absent(namesOf("configMap"), "configMap"),
            // The nodes of a large cluster are a long list.
            isChanged && (!isDeepStrictEqual(pods, before ?? {}) || grows(olds, ifKnown(program.memberReplicas)))
                ? access.nodes()
                : undefined,
            isChanged && Object.values(classes).flat().length > 0 ? access.storageClasses() : undefined,
        ]);
        const missing = objects.filter(({ name, kind }) => (kind ? configMaps : secrets).includes(name));
        const ofTls = certificates.filter(({ secretName }) => secrets.includes(secretName));
        const certificatesLack = missingSecrets(program.namespace, ofTls, mayGrant);
        return [
            ...(certificatesLack === undefined
                ? []
                : [
                      {
                          code: "object-missing" as const,
                          message: certificatesLack,
                          risk: "pods that need a missing certificate do not start",
                      },
                  ]),
            ...lacks(
                "object-missing",
                "that need a missing Secret or ConfigMap",
                missingForPods(program.namespace, missing),
            ),
            ...lacks("pod-too-large", "that are too large", tooLargePods(pods, nodes ?? [])),
            ...lacks("no-node-takes-pod", "that no node takes", unplacedPods(pods, nodes ?? [])),
            ...lacks(
                "storage-class-missing",
                "whose StorageClass is missing",
                found ? missingClasses(classes, found, mayGrant) : [],
            ),
        ];
    } catch (error) {
        // The check that follows reports it for the whole cluster.
        if (error instanceof KubernetesApiError || error instanceof ClusterAccessError) {
            return [];
        }
        throw error;
    }
}

/** The risk names the members: the cluster's line has it, too. */
function lacks(code: NoticeCode, what: string, warnings: readonly PodWarning[]): Lack[] {
    return warnings.map(({ words, members }) => {
        const whose = listed([...new Set(members)].map((one) => topology[one].title));
        return { code, message: words, memberRisk: { words: `pods of ${whose} ${what} do not start`, members } };
    });
}

/** Pods with the needs of the last update may be more. */
function grows(olds: Record<string, unknown>, now: ClusterProgramInputs["memberReplicas"] = {}): boolean {
    const before = (olds.memberReplicas ?? {}) as typeof now;
    return (Object.entries(now) as [Component, number][]).some(([one, count]) => count > (before[one] ?? 0));
}
