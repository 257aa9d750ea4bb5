import { resizeInWords } from "../vocabulary/claimState";
import type { PodView, Stage } from "../vocabulary/stage";
import { growingClaims, growsAtStart, type SizedClaim, smallClaims } from "./sizedClaims";

/** How long a driver may take to enlarge a volume, in seconds: some move it meanwhile, and clouds let hours pass between two changes of one volume. */
const growthSeconds = 3_600;

/**
 * The volumes of a pod have the size that the program wants, or only a new pod can enlarge their file systems: the rollout sees to that. Growth
 * takes nothing down, and a full disk may be why a pod does not run, so it waits for no member to be well.
 */
export const volumeGrown: Stage = {
    name: "volume-grown",
    holds: (view) => {
        const small = smallClaims(view);
        if (small.some(({ claim }) => claim.expands === undefined)) {
            return { look: { expansions: true } };
        }
        const lacking = [
            ...small.map((one) => refusedInWords(one) ?? notBegunInWords(one)),
            ...slow(view).map(slowInWords),
        ];
        return lacking.length === 0 ? true : { lacks: lacking.join("; ") };
    },
    act: (view) => {
        const claims = smallClaims(view).map(({ claim: { name, uid, state }, wanted, due }) => ({
            ...{ name, uid },
            from: state?.requested ?? "",
            to: wanted,
            ...(due ? { storeBytes: due.storeBytes } : {}),
        }));
        // An update has more to do than that; the controller has not.
        const isExtra = !isAsked(view) && view.target.claims !== undefined;
        return claims.length === 0
            ? undefined
            : { do: "grow-claims", pod: view.podName, claims, ...(isExtra ? { mayBeRefused: true } : {}) };
    },
    timeout: (view) => ({ seconds: isRefused(view) ? 0 : growthSeconds, then: isAsked(view) ? "fail" : "go-on" }),
    endedBy: () => "kubernetes",
    advice: (view) => {
        const [byClass] = smallClaims(view).filter((one) => refusedInWords(one) !== undefined);
        if (byClass !== undefined) {
            return `set allowVolumeExpansion in the class if its driver can do it, or put the size back to ${byClass.claim.state?.requested}`;
        }
        return isRefused(view)
            ? "end what the driver says, or put the size back: Kubernetes lets a claim request less again if its volume has not grown"
            : "check the claim's events and the driver's controller, then run `pulumi up` again: it continues from here";
    },
};

/** The claims that grow, but for those whose file system waits for a new pod. */
function slow(view: PodView): SizedClaim[] {
    return growingClaims(view).filter(({ claim }) => !growsAtStart(claim, view.member));
}

/** Whether the program waits for one of them. */
function isAsked(view: PodView): boolean {
    return [...smallClaims(view), ...slow(view)].some((one) => one.isAsked);
}

/** Whether no time makes it grow: its class does not let it, or the driver has refused the size for good. */
function isRefused(view: PodView): boolean {
    return (
        smallClaims(view).some((one) => refusedInWords(one) !== undefined) ||
        slow(view).some(({ claim }) => claim.state?.resize?.isInfeasible === true)
    );
}

/** Where the class may not be read, the API server refuses the change itself. */
function refusedInWords({ claim: { name, expands, state }, wanted }: SizedClaim): string | undefined {
    const storageClass = state?.storageClass || "(none)";
    return expands?.known === true && !expands.value
        ? `${name} cannot grow to ${wanted}: StorageClass ${storageClass} does not allow expansion`
        : undefined;
}

function notBegunInWords({ claim: { name, state }, wanted }: SizedClaim): string {
    return `${name} requests ${state?.requested}, expected ${wanted}`;
}

function slowInWords({ claim: { name, state }, wanted }: SizedClaim): string {
    const { trouble } = state?.resize ?? {};
    const why = resizeInWords(state?.resize ?? { of: "volume" });
    return `${name} has ${state?.capacity ?? "no size"} of ${wanted}: ${why}${trouble === undefined ? "" : ` (${trouble})`}`;
}
