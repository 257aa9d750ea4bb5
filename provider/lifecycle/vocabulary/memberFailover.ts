import type { FailoverPolicy } from "./failoverPolicy";
import type { PdPart } from "./look";
import type { FailureRecord } from "./failureRecord";
import type { Observation } from "./observation";
import type { PodView, Stage } from "./stage";

export type { FailoverPolicy } from "./failoverPolicy";

/**
 * What a source says about whether a member's pod is dead. `dying`: what it sees would mean death if it lasted that much longer.
 * What a source cannot tell is `unknown`, which is never death.
 */
export type Verdict =
    | { readonly is: "alive"; readonly why: string }
    | { readonly is: "unknown"; readonly why: string }
    | { readonly is: "dying"; readonly why: string; readonly seconds: number }
    | { readonly is: "dead"; readonly why: string };

/** How the dead of one member are found and replaced, as data. Finding, counting, planning and recovering work the same way for all. */
export interface MemberFailover {
    /** The parts of PD's state that it needs. */
    readonly looks: readonly PdPart[];
    /** Whether the pods' own status pages are asked. */
    readonly asksStatus: boolean;
    /** Whether a pod that no node takes counts as dead. */
    readonly countsUnscheduled: boolean;
    /** Whether a pod counts as dead of which its node's own clock says since when: its process has ended, or the node itself reports that it is not Ready. */
    readonly countsEnded: boolean;
    /**
     * @param period how long it must last, in milliseconds.
     * @returns what PD, or for a server the server itself, says of it.
     */
    verdict(view: PodView, period: number): Verdict;
    /** @returns when it was last heard of, by any clock, as long as all pods of the member have the same one; undefined if not known. */
    vanishedAt(view: PodView): number | undefined;
    /** @returns why the evidence as a whole cannot be trusted; undefined if it can. */
    unsound(observation: Observation): string | undefined;
    /** @returns what identifies it in its record. */
    identity(view: PodView): Pick<FailureRecord, "storeId" | "member">;
    /** Whether a pod on record that is not Ready was heard of lately, or starts: it is waited for as any other. */
    livesAgain(view: PodView, record: FailureRecord): boolean;
    /** Names it in messages: `store 12 (basic-tikv-1)`. */
    named(view: PodView): string;
    /** Conditions, in order, that must hold after it is on record and before one more replica counts. Default: none. */
    beforeReplacement?(record: FailureRecord, policy: FailoverPolicy): readonly Stage[];
    /** Whether a failure without a replacement is none any more. Default: what `verdict` and Kubernetes say. */
    hasComeBack?(view: PodView, record: FailureRecord): boolean;
    /** Whether a failure on record has only been noted: then it must still be dead for anything to be done. Default: it has. */
    isUndone?(view: PodView, record: FailureRecord): boolean;
    /** Whether the replacements go by themselves once all are well again, or only when the program asks for it. */
    readonly recovers: "by-itself" | "when-asked";
    /** Describes what the replacement must reach. */
    readonly waitsFor: string;
    /** How long it is expected to take. Default: 30. */
    readonly replacementSeconds?: number;
    /** Describes what the replacement costs or leaves at risk. Default: nothing. */
    readonly risk?: (view: PodView) => string | undefined;
}
