import { grownTo, withClaims } from "./foreseen";
import type { Component } from "../../../../topology/members";
import type { OutdatedIn } from "../fixedFields";
import { type KindsOf, namesOf, record, uidsOf } from "./actionKind";
import { without } from "./without";
import type { GrownBy } from "../volumeGrowth";

/** A claim as it was observed. */
interface SeenClaim {
    name: string;
    uid: string;
}

/** A claim that gets another size. `storeBytes`: of an automatic growth, see `GrownBy`. Default: the program says the size. */
interface SizedClaim extends SeenClaim, Pick<GrownBy, "from" | "to"> {
    storeBytes?: number;
}

/** Actions on the claims of a pod's volumes. */
export type ClaimAction =
    /** `storeOrMember`: the id of the store or PD member on the volumes, which has left PD. Default: their process never ran. */
    | { do: "release-claims"; pod: string; claims: SeenClaim[]; storeOrMember?: string }
    /** Sizes as the API server writes them. `mayBeRefused`: the update goes on if the API server refuses it. Default: the program asks for it. */
    | { do: "grow-claims"; pod: string; claims: SizedClaim[]; mayBeRefused?: true }
    | { do: "modify-claims"; pod: string; claims: (SeenClaim & { to: string })[] }
    | { do: "keep-claims"; claims: SeenClaim[] }
    /** `parts`: in what they differ from the program, so that they are replaced; none takes the mark off. */
    | { do: "mark-outdated"; component: Component; claims: (SeenClaim & { parts: readonly OutdatedIn[] })[] }
    /** All volumes that were to be replaced are, and all pods are well. */
    | { do: "end-replacement"; component: Component }
    | { do: "note-version"; version: string; tls?: boolean; claims: SeenClaim[] }
    /** `ofDead`: the pod whose member failed and is out of PD. `outdated`: the program wants another volume. Default: an earlier scale-in released them. */
    | { do: "delete-claims"; claims: (SeenClaim & { resourceVersion: string })[]; ofDead?: string; outdated?: true };

export const claimActions: KindsOf<ClaimAction> = {
    "release-claims": {
        describe: ({ claims }) => `mark ${namesOf(claims)} as released`,
        inStep: () => "mark its volumes as released",
        step: () => "remove",
        on: ({ claims }) => uidsOf(claims),
        perform: ({ claims, storeOrMember }, { kubernetes }) =>
            forEach(claims, ({ name, uid }) => kubernetes.releaseClaim(name, uid, storeOrMember)),
        foresee: (seen, { claims, storeOrMember: releasedId }) =>
            withClaims(seen, claims, (claim) => [{ ...claim, released: true, releasedId }]),
    },
    "grow-claims": {
        describe: ({ claims }) => `grow ${growthInWords(claims)}`,
        inStep: ({ claims }) => `request ${growthInWords(claims)}`,
        step: () => "grow",
        on: ({ claims }) => claims.map(({ uid, to }) => `${uid} ${to}`).join(" "),
        seconds: () => 60,
        perform: ({ claims }, { kubernetes }) =>
            forEach(claims, (claim) => kubernetes.resizeClaim(claim.name, claim.uid, claim.to, growthOf(claim))),
        foresee: (seen, { claims }) => {
            const grownOf = new Map(claims.map((claim) => [claim.uid, claim]));
            const at = new Date(seen.now).toISOString();
            return withClaims(seen, claims, (claim) => {
                const sized = grownOf.get(claim.uid);
                const grown = sized && growthOf(sized);
                const state = grownTo(claim.state, sized?.to);
                return [{ ...claim, state: state && grown ? { ...state, grown: { at, ...grown } } : state }];
            });
        },
    },
    "modify-claims": {
        describe: ({ claims }) => `modify ${claims.map(({ name, to }) => `${name} to ${to}`).join(", ")}`,
        inStep: ({ claims }) => claims.map(({ name, to }) => `request ${to} for ${name}`).join(", "),
        step: () => "modify",
        on: ({ claims }) => claims.map(({ uid, to }) => `${uid} ${to}`).join(" "),
        seconds: () => 60,
        perform: ({ claims }, { kubernetes }) =>
            forEach(claims, ({ name, uid, to }) => kubernetes.modifyClaim(name, uid, to)),
        foresee: (seen, { claims }) => {
            const classOf = new Map(claims.map(({ uid, to }) => [uid, to]));
            return withClaims(seen, claims, (claim) => {
                const attributesClass = classOf.get(claim.uid);
                const state = claim.state && {
                    ...claim.state,
                    attributesClass,
                    attributes: { current: attributesClass },
                };
                return [{ ...claim, state }];
            });
        },
    },
    "keep-claims": {
        describe: ({ claims }) => `mark ${namesOf(claims)} as kept: no longer released`,
        inStep: () => "mark its volumes as kept",
        step: () => "take-back",
        on: ({ claims }) => uidsOf(claims),
        needsNoConsent: () => true,
        perform: ({ claims }, { kubernetes }) => forEach(claims, ({ name, uid }) => kubernetes.keepClaim(name, uid)),
        foresee: (seen, { claims }) =>
            withClaims(seen, claims, (claim) => [{ ...claim, released: false, releasedId: undefined }]),
    },
    "mark-outdated": {
        describe: ({ claims }) =>
            claims.some(({ parts }) => parts.length > 0)
                ? `mark ${namesOf(claims)} as outdated: their volumes are replaced`
                : `take the mark off ${namesOf(claims)}: their volumes stay`,
        on: ({ claims }) => claims.map(({ uid, parts }) => `${uid} ${parts.join()}`).join(" "),
        isBookkeeping: true,
        needsNoConsent: () => true,
        before: (records, { component, claims }, now) =>
            claims.some(({ parts }) => parts.length > 0) && records.replacements?.[component] === undefined
                ? { ...records, replacements: { ...records.replacements, [component]: { begunAt: now } } }
                : records,
        perform: ({ claims }, { kubernetes }) =>
            forEach(claims, ({ name, uid, parts }) => kubernetes.noteOutdated(name, uid, parts)),
        foresee: (seen, { claims }) => {
            const partsOf = new Map(claims.map(({ uid, parts }) => [uid, parts]));
            return withClaims(seen, claims, (claim) => {
                const outdated = partsOf.get(claim.uid) ?? [];
                return [{ ...claim, outdated: outdated.length > 0 ? outdated : undefined }];
            });
        },
    },
    "end-replacement": record({
        describe: ({ component }) => `delete the record of the replacement of ${component}'s volumes`,
        on: ({ component }) => component,
        objects: () => [],
        after: ({ replacements, ...records }, { component }) => {
            const left = without(replacements ?? {}, component);
            return { ...records, ...(Object.keys(left).length === 0 ? {} : { replacements: left }) };
        },
    }),
    "note-version": {
        describe: ({ version, claims }) => `record ${version} on ${namesOf(claims)}`,
        on: ({ version, tls, claims }) => `${version}${tls ? " with TLS" : ""} ${uidsOf(claims)}`,
        isBookkeeping: true,
        isNote: true,
        needsNoConsent: () => true,
        perform: ({ version, tls, claims }, { kubernetes }) =>
            forEach(claims, ({ name, uid }) => kubernetes.noteVersion(name, uid, version, tls)),
        foresee: (seen, { claims, version, tls }) => withClaims(seen, claims, (claim) => [{ ...claim, version, tls }]),
    },
    "delete-claims": {
        describe: ({ claims, ofDead, outdated }) => {
            const why = outdated ? "which the program replaces" : "released by an earlier scale-in";
            return `delete ${namesOf(claims)}, ${ofDead === undefined ? why : `of the failed ${ofDead}`}`;
        },
        inStep: () => "delete its claims, so it starts empty",
        step: ({ ofDead, outdated }) => (outdated ? "renew" : ofDead === undefined ? "empty-volume" : "replace"),
        on: ({ claims }) => uidsOf(claims),
        perform: ({ claims }, { kubernetes }) =>
            forEach(claims, ({ name, uid, resourceVersion }) => kubernetes.deleteClaim(name, uid, resourceVersion)),
        // A pod keeps the claim that it uses.
        foresee: (seen, { claims }) =>
            withClaims(seen, claims, (claim, { pods }) =>
                pods.some(({ ordinal }) => ordinal === claim.ordinal) ? [{ ...claim, terminating: true }] : [],
            ),
    },
};

function growthInWords(claims: readonly { name: string; from: string; to: string }[]): string {
    return claims.map(({ name, from, to }) => `${name} from ${from} to ${to}`).join(", ");
}

/** What is recorded on a claim that grows automatically. */
function growthOf({ from, to, storeBytes }: SizedClaim): Omit<GrownBy, "at"> | undefined {
    return storeBytes === undefined ? undefined : { from, to, storeBytes };
}

async function forEach<T>(claims: readonly T[], work: (claim: T) => Promise<void>): Promise<void> {
    await Promise.all(claims.map(work));
}
