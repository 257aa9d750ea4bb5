import { putBackOf } from "../stages/leaderLimits";
import { entriesOf, limitsInWords, nameInWords, type RaisedLimits } from "../vocabulary/leaderLimits";
import type { Leftover } from "../vocabulary/leftover";
import type { Observation } from "../vocabulary/observation";

/** @returns the limits of PD that a run has raised, and that are still on record. */
export function leftRaisedLimits(observation: Observation): Leftover[] {
    const { raisedLimits } = observation.records;
    if (raisedLimits === undefined) {
        return [];
    }
    const { leaderLimits } = observation.pd;
    const found = {
        kind: "limits",
        target: "PD's limits of moving leaders",
        seen: seenOf(raisedLimits, observation),
        by: `a run of pulumi-tidb, which raised them at ${new Date(raisedLimits.begunAt).toISOString()} for ${raisedLimits.pod}`,
        isOurs: true,
    } as const;
    const action = putBackOf(observation);
    if (action === undefined) {
        return [{ ...found, verdict: "not known", why: leaderLimits.known ? "" : leaderLimits.why }];
    }
    const why =
        action.do === "forget-limits"
            ? "none of them is as it was raised to, so there is nothing to put back: the record is deleted"
            : "what was there before is put back; what somebody else has changed since stays";
    return [{ ...found, verdict: "remove", why, action }];
}

/** @returns what was raised, from what to what. */
export function raisedInWords({ limits }: RaisedLimits): string {
    return limitsInWords(
        Object.fromEntries(entriesOf(limits).map(([name, { before, to }]) => [name, { from: before, to }])),
    );
}

function seenOf(raised: RaisedLimits, { pd: { leaderLimits } }: Observation): string {
    const recorded = `raised, by the record: ${raisedInWords(raised)}`;
    if (!leaderLimits.known) {
        return recorded;
    }
    const now = entriesOf(raised.limits).map(
        ([name]) => `${nameInWords(name)} is ${leaderLimits.value[name] ?? "absent"}`,
    );
    return `${recorded}; now ${now.join(" and ")}`;
}
