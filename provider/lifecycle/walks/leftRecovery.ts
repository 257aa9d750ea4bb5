import { givenUpRecovery } from "../unsafeRecovery/nextRecovery";
import type { Leftover } from "../vocabulary/leftover";
import type { Observation } from "../vocabulary/observation";
import { storesInWords } from "../vocabulary/storesInWords";

/**
 * @returns the unsafe recovery that is on record as begun. As long as it is, the controller moves and gives up nothing. Only a run with
 * the program can end it, unless PD has given it up, or never took it: PD makes its stores Tombstone at once.
 */
export function leftRecovery(observation: Observation): Leftover[] {
    const { records, pd } = observation;
    const { unsafeRecovery: shown, stores: listed } = pd;
    const begun = records.unsafeRecovery?.begun;
    if (begun === undefined) {
        return [];
    }
    const { stores, at } = begun;
    const ours = {
        kind: "recovery",
        target: `the unsafe recovery from the loss of ${storesInWords(stores)}`,
        by: `a run of pulumi-tidb, which began it at ${new Date(at).toISOString()}`,
        isOurs: true,
    } as const;
    if (!shown.known || !listed.known) {
        const why = shown.known ? (listed as { why: string }).why : shown.why;
        return [{ ...ours, seen: "it is on record as begun", verdict: "not known", why }];
    }
    const { stage, report } = shown.value;
    const areLive = stores.every((id) => listed.value.some((store) => store.id === id));
    const seen = `PD says: ${report}${areLive ? " None of its stores is Tombstone" : ""}`;
    const ended =
        givenUpRecovery(observation) !== undefined
            ? "PD has given it up"
            : stage === "none" && areLive
              ? "PD never took it"
              : undefined;
    return [
        ended === undefined
            ? {
                  ...ours,
                  seen,
                  verdict: "keep",
                  why: "`pulumi up` with operations.unsafeRecovery waits for it and records its end",
              }
            : {
                  ...ours,
                  seen,
                  verdict: "remove",
                  why: `${ended}: its record is deleted`,
                  action: { do: "forget-recovery", stores },
              },
    ];
}
