import type { PodView, Stage } from "../vocabulary/stage";
import { outdatedClaims } from "./outdated";
import { hasVolume, type WantedClaim, wantedClaims } from "./wantedClaims";

/** The VolumeAttributesClass of a pod's volumes, which a driver changes in place, while the volume is used. */

/** How long a driver may take to modify a volume, in seconds: clouds let hours pass between two changes of one volume. */
const modificationSeconds = 3_600;

/** The driver has applied the class that the program wants. */
export const volumeModified: Stage = {
    name: "volume-modified",
    holds: (view) => {
        const lacking = [...unrequested(view), ...unapplied(view)].map(lackInWords);
        return lacking.length === 0 ? true : { lacks: lacking.join("; ") };
    },
    act: (view) => {
        const claims = unrequested(view).map(({ claim: { name, uid }, wanted }) => ({
            ...{ name, uid },
            to: wanted.attributesClass ?? "",
        }));
        return claims.length === 0 ? undefined : { do: "modify-claims", pod: view.podName, claims };
    },
    timeout: (view) => ({ seconds: isRefused(view) ? 0 : modificationSeconds, then: "fail" }),
    endedBy: () => "kubernetes",
    advice: (view) =>
        isRefused(view)
            ? "end what the driver says, or put the class back: Kubernetes lets a claim request its volume's class again"
            : "check that the VolumeAttributesClass exists and is of the volume's driver, and the claim's events",
};

/** @returns the claims whose volumes have another class than the program wants. A program without a class leaves it. */
export function otherAttributes(view: PodView): WantedClaim[] {
    return [...unrequested(view), ...unapplied(view)];
}

function unrequested(view: PodView): WantedClaim[] {
    return wanting(view).filter(({ claim, wanted }) => claim.state?.attributesClass !== wanted.attributesClass);
}

function unapplied(view: PodView): WantedClaim[] {
    return wanting(view).filter(
        ({ claim: { state }, wanted: { attributesClass } }) =>
            state?.attributesClass === attributesClass && state?.attributes?.current !== attributesClass,
    );
}

function wanting(view: PodView): WantedClaim[] {
    const replaced = new Set(outdatedClaims(view).map(({ claim }) => claim));
    return wantedClaims(view).filter(
        ({ claim, wanted }) => wanted.attributesClass !== undefined && hasVolume(claim) && !replaced.has(claim),
    );
}

function isRefused(view: PodView): boolean {
    return unapplied(view).some(({ claim }) => claim.state?.attributes?.isInfeasible === true);
}

function lackInWords({ claim: { name, state }, wanted: { attributesClass } }: WantedClaim): string {
    const { current = "none", trouble, isInfeasible } = state?.attributes ?? {};
    if (state?.attributesClass !== attributesClass) {
        return `${name} requests VolumeAttributesClass ${state?.attributesClass ?? "none"}, expected ${attributesClass}`;
    }
    const why = isInfeasible
        ? "the driver refuses it"
        : trouble === undefined
          ? "the driver modifies the volume"
          : "the driver failed, and tries again";
    const words = trouble === undefined ? "" : ` (${trouble})`;
    return `${name} has VolumeAttributesClass ${current} of ${attributesClass}: ${why}${words}`;
}
