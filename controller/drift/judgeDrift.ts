import { arePathsOfOne, type Loss } from "./lossesOf";
import {
    isDefaultProvider,
    type PreviewedProgram,
    type PreviewedStep,
    type ProgramResource,
    type RefreshedResource,
} from "./previewedProgram";

/** An object that is no longer as the last update left it, and as the program wants it. */
export interface DriftedObject extends ProgramResource {
    readonly change: "deleted" | "edited";
    readonly differs: readonly string[];
}

/**
 * Returns what somebody deleted or edited, by a preview with a refresh. One that failed has seen this if its refresh had ended.
 * @param isWhole whether it came to all that the program has. Otherwise what it did not come to may be as the program wants it, although
 * others have added to it: then only what they have changed counts, by the object's field managers
 */
export function driftOf({ refreshed, steps }: PreviewedProgram, isWhole = true): DriftedObject[] {
    const told = new Map(steps.map(({ urn, op }) => [urn, op]));
    const isWanted = (one: RefreshedResource): boolean =>
        (told.get(one.urn) ?? (isWhole || isChanged(one) ? "" : "same")) === "same";
    return refreshed
        .filter((one) => one.isGone || (one.differs.length > 0 && !isWanted(one)))
        .map((found) => ({ ...withoutState(found), change: found.isGone ? "deleted" : "edited" }));
}

/** Whether others have changed what the program has, and that differs. */
function isChanged({ differs, losses }: RefreshedResource): boolean {
    return differs.some((one) => losses?.changed.some((other) => arePathsOfOne(one, other)));
}

function withoutState({ isGone: _, ...resource }: RefreshedResource): Omit<RefreshedResource, "isGone"> {
    return resource;
}

/** Returns what the program would change although nothing had drifted, by a preview without a refresh; empty if nothing. */
export function changesOfProgram({ steps }: PreviewedProgram): string[] {
    return steps
        .filter(isChange)
        .map((step) => `${isGate(step) ? gateWords(step) : `the program would ${words(step)}`}`);
}

/**
 * Returns why a repair must not run, by the preview of that repair; empty if all that it would do is to bring drifted objects back.
 * What a kind of object may lose or begin when it is made anew or changed decides, so a kind that is not known is never repaired.
 */
export function obstaclesToRepair({ steps }: PreviewedProgram, drifted: readonly DriftedObject[]): string[] {
    // A replacement is several steps.
    return [...new Set(steps.filter(isChange).flatMap((step) => obstacle(step, drifted) ?? []))];
}

/** Whether an update would do anything. */
export function hasChanges({ steps }: PreviewedProgram): boolean {
    return steps.some(isChange);
}

function isChange({ op }: PreviewedStep): boolean {
    return op !== "same" && op !== "read";
}

function obstacle(step: PreviewedStep, drifted: readonly DriftedObject[]): string | undefined {
    if (isGate(step)) {
        return gateWords(step);
    }
    const found = drifted.find(({ urn }) => urn === step.urn);
    if (found === undefined) {
        return `it would ${words(step)}, which has not drifted`;
    }
    const kind = kubernetesKind(step);
    const rule = kind === undefined ? undefined : rules[kind];
    switch (step.op) {
        case "create":
            return found.change === "deleted" && rule?.created === true ? undefined : `it would ${words(step)}`;
        case "update":
            if (rule?.edited === true || (kind !== undefined && isOfMetadata(step))) {
                return loss(found, found.losses?.updated);
            }
            return `it would ${words(step)}: ${step.differs.join(", ") || "what differs is not known"}`;
        case "replace":
        case "create-replacement":
        case "delete-replaced":
            return rule?.replaced === true ? loss(found, found.losses?.replaced) : `it would ${words(step)}`;
        default:
            return `it would ${words(step)}`;
    }
}

/** More fields of one manager are counted. */
const mostNamed = 5;

/** To write an object, be it one label, takes out what `kubectl` wrote and the program does not have. In a pod template that restarts pods. */
function loss(one: DriftedObject, losses: readonly Loss[] | undefined): string | undefined {
    if (losses === undefined) {
        return `it would write ${titleOf(one)}, whose managedFields are not known: it may take out what others wrote`;
    }
    if (losses.length === 0) {
        return undefined;
    }
    const theirs = losses.map(({ manager, fields }) => {
        const more = fields.length > mostNamed ? ` and ${fields.length - mostNamed} more` : "";
        return `${fields.slice(0, mostNamed).join(", ")}${more} by ${manager}`;
    });
    const restarts = losses.some(({ fields }) => fields.some((path) => path.startsWith("spec.template.")));
    const [effect, when] = restarts ? [", which restarts pods", "pods may restart"] : ["", "that may go"];
    return `it would take out of ${titleOf(one)} what the program does not have: ${theirs.join("; ")}${effect}. Set ${one.differs.join(", ")} back by hand, or run \`pulumi up --refresh\` when ${when}`;
}

interface RepairRule {
    /** Whether a deleted one is made anew: it holds no data, and is no work that would be done twice. */
    readonly created: boolean;
    /** Whether each of its properties is set back. For the others only labels and annotations are. */
    readonly edited: boolean;
    /** Whether it is deleted and made anew, as Pulumi does if its content differs. */
    readonly replaced?: boolean;
}

const freely: RepairRule = { created: true, edited: true };

/** Kinds of Kubernetes' own that are brought back. */
const rules: Readonly<Record<string, RepairRule | undefined>> = {
    "core/v1:ConfigMap": { ...freely, replaced: true },
    "core/v1:Service": freely,
    "core/v1:ServiceAccount": freely,
    "rbac.authorization.k8s.io/v1:ClusterRole": freely,
    "rbac.authorization.k8s.io/v1:ClusterRoleBinding": freely,
    "rbac.authorization.k8s.io/v1:Role": freely,
    "rbac.authorization.k8s.io/v1:RoleBinding": freely,
    "policy/v1:PodDisruptionBudget": freely,
    "networking.k8s.io/v1:Ingress": freely,
    "networking.k8s.io/v1:NetworkPolicy": freely,
    // Whoever edited a Secret may have changed the password or the certificate where it is used, too.
    "core/v1:Secret": { created: true, edited: false },
    // A Deployment that is made anew starts pods without data of their own, such as discovery's.
    "apps/v1:Deployment": { created: true, edited: false },
};

/** Returns the API version and the kind of an object in Kubernetes: `core/v1:Service`; undefined for another resource. */
export function kubernetesKind({ type }: ProgramResource): string | undefined {
    return /^kubernetes:(.+\/.+:.+)$/.exec(type)?.[1];
}

function isOfMetadata({ differs }: PreviewedStep): boolean {
    return differs.length > 0 && differs.every((path) => /^metadata\.(labels|annotations)([.[]|$)/.test(path));
}

function isGate({ type }: ProgramResource): boolean {
    return type.startsWith("pulumi-nodejs:dynamic/tidb:");
}

function gateWords({ name }: ProgramResource): string {
    return `the gate ${name} has steps to take, as \`pulumi preview\` shows`;
}

function words(step: PreviewedStep): string {
    return isDefaultProvider(step)
        ? `${step.op} the default provider ${kindOf(step)}: the stack's configuration is no longer that of the last update`
        : `${step.op} ${titleOf(step)}`;
}

/** Returns the kind and the name of a resource, for messages. */
export function titleOf({ type, name }: ProgramResource): string {
    return `${kindOf({ type })} ${name}`;
}

/** Returns the kind of an object, as Kubernetes has it, or the type's last part. */
export function kindOf({ type }: Pick<ProgramResource, "type">): string {
    return type.slice(type.lastIndexOf(":") + 1);
}
