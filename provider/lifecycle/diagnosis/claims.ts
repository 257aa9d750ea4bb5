import type { Volume, Claim, StorageClass } from "./objects";
import type { Fact } from "../vocabulary/evidence";
import { amountsOf, amountText } from "./amounts";
import type { Cause } from "./cause";
import { latest } from "./events";
import type { ClaimFacts, PodFacts } from "./facts";

/** Marks the class of claims that name none (https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass). */
const defaultClass = "storageclass.kubernetes.io/is-default-class";
const olderDefaultClass = "storageclass.beta.kubernetes.io/is-default-class";
/** Volumes of such a class are made by hand, or by a program that does not answer to claims. */
const noProvisioner = "kubernetes.io/no-provisioner";

/** The same update may create a class or a volume a moment later. */
const createdLaterSeconds = 60;
const lostSeconds = 30;

/** @returns whether claims that name no class get this one. */
export function isDefault({ metadata }: StorageClass): boolean {
    const annotations = metadata?.annotations ?? {};
    return [defaultClass, olderDefaultClass].some((name) => annotations[name] === "true");
}

/** @returns why the claims of a pod have no volume. None for a claim that waits for its pod, as it should. */
export function whyClaimsWait({ claims, classes, volumes }: Pick<PodFacts, "claims" | "classes" | "volumes">): Cause[] {
    return claims.flatMap((claim) => whyClaimWaits(claim, classes, volumes) ?? []);
}

function whyClaimWaits(
    { name: of, claim, events }: ClaimFacts,
    classes: Fact<readonly StorageClass[]>,
    volumes: Fact<readonly Volume[]>,
): Cause | undefined {
    if (!claim.known) {
        return undefined;
    }
    if (claim.value === undefined) {
        const fix =
            "find out who deleted it: Kubernetes makes a new claim, with an empty volume, together with a new pod";
        return { of, reason: "VolumeMissing", what: `its claim ${of} does not exist`, fix };
    }
    const { spec, status } = claim.value;
    const said = events.known
        ? latest(events.value, ["ProvisioningFailed", "FailedBinding", "ProvisioningCleanupFailed"])
        : undefined;
    const evidence = said?.message === undefined ? {} : { evidence: said.message };
    if (status?.phase === "Lost") {
        const what = `its claim ${of} has lost its volume ${spec?.volumeName}, which no longer exists`;
        const fix = "restore that volume, or delete the claim and the pod to start with an empty one";
        return { of, reason: "VolumeMissing", what, ...evidence, fix, final: { afterSeconds: lostSeconds } };
    }
    if (status?.phase !== "Pending") {
        return undefined;
    }
    const wanted = spec?.storageClassName;
    const found = classes.known ? classes.value.find(({ metadata }) => metadata?.name === wanted) : undefined;
    if (wanted === undefined) {
        const isSure = classes.known && !classes.value.some(isDefault);
        return isSure || /no storage class is set/.test(said?.message ?? "")
            ? {
                  of,
                  reason: "StorageClassMissing",
                  what: `its claim ${of} names no StorageClass, and no class is the default`,
                  ...evidence,
                  fix: "mark a class as the default: Kubernetes then gives it to the claim",
                  ...(isSure ? { final: { afterSeconds: createdLaterSeconds } } : {}),
              }
            : pending(of, said?.message);
    }
    if (wanted !== "" && found === undefined && (classes.known || isNotFound(said?.message))) {
        // A volume made by hand may have a class that does not exist as an object.
        const isSure =
            classes.known && volumes.known && !volumes.value.some((one) => one.spec?.storageClassName === wanted);
        const others = classes.known
            ? `; there ${listed(classes.value.map(({ metadata }) => metadata?.name ?? ""))}`
            : "";
        return {
            of,
            reason: "StorageClassMissing",
            what: `its claim ${of} names StorageClass ${wanted}, which does not exist${others}`,
            ...evidence,
            fix: `create StorageClass ${wanted}, or correct storageClassName and run \`pulumi up\`: a claim without a volume is deleted then, and made again with the class`,
            ...(isSure ? { final: { afterSeconds: createdLaterSeconds } } : {}),
        };
    }
    if (wanted === "" || found?.provisioner === noProvisioner) {
        return volumes.known
            ? withoutVolume(of, claim.value, volumes.value, said?.message)
            : pending(of, said?.message);
    }
    return said === undefined && found?.volumeBindingMode === "WaitForFirstConsumer"
        ? undefined
        : pending(of, said?.message, found?.provisioner);
}

function isNotFound(message = ""): boolean {
    return /storageclass\S* ".*" not found/.test(message);
}

function listed(names: readonly string[]): string {
    return names.length === 0
        ? "is none at all"
        : names.length === 1
          ? `is only ${names[0]}`
          : `are ${names.join(", ")}`;
}

function pending(of: string, message: string | undefined, provisioner?: string): Cause {
    const by = provisioner === undefined ? "" : `, although provisioner ${provisioner} should make one`;
    const fix = `${provisioner === undefined ? "" : `check that provisioner ${provisioner} runs, and `}see \`kubectl describe pvc ${of}\``;
    const what = `its claim ${of} has no volume yet${by}`;
    return { of, reason: "ClaimPending", what, ...(message === undefined ? {} : { evidence: message }), fix };
}

/** Of volumes that somebody makes beforehand: how many are free, and how much the largest is short. */
function withoutVolume(
    of: string,
    { spec }: Claim,
    all: readonly Volume[],
    message: string | undefined,
): Cause | undefined {
    const wanted = amountsOf(spec?.resources?.requests).storage ?? 0n;
    const kind = spec?.storageClassName ? `of class ${spec.storageClassName}` : "without a class";
    const free = all
        .filter((one) => (one.spec?.storageClassName ?? "") === (spec?.storageClassName ?? ""))
        .filter(({ status }) => status?.phase === "Available")
        .map((one) => amountsOf(one.spec?.capacity).storage ?? 0n);
    const largest = free.reduce((one, other) => (one > other ? one : other), 0n);
    if (largest >= wanted) {
        return undefined;
    }
    const has =
        free.length === 0
            ? "there is none"
            : `the largest of ${free.length} has ${amountText("storage", largest)} (${amountText("storage", wanted - largest)} short)`;
    return {
        of,
        reason: "ClaimPending",
        what: `its claim ${of} requests ${amountText("storage", wanted)} of storage, and no free volume ${kind} has as much: ${has}`,
        ...(message === undefined ? {} : { evidence: message }),
        fix: `add a volume ${kind} that is large enough`,
    };
}
