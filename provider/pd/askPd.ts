import type { PdCall } from "./call";
import { refused } from "./failure";
import type { PdTransport } from "./transport";
import type { Refusal } from "./verdict";

/** The result of a call that PD refuses for an expected reason. */
export interface OnRefusal<E> {
    readonly when: (refusal: Refusal) => boolean;
    readonly result: E;
}

/**
 * Sends a call to PD and reads the answer. Rejects with a `PdError` if PD refuses, except where `onRefusal` gives a
 * result for the refusal.
 * @param classify what a refusal means for this kind of call
 */
export async function askPd<T, E = never>(
    transport: PdTransport,
    call: PdCall,
    read: (body: string) => T,
    onRefusal?: OnRefusal<E>,
    classify: (refusal: Refusal) => Refusal = (refusal) => refusal,
): Promise<T | E> {
    const { verdict, endpoint, before } = await transport.ask(call, read);
    if (verdict.kind === "done") {
        return verdict.value;
    }
    if (onRefusal?.when(verdict)) {
        return onRefusal.result;
    }
    throw refused(call, classify(verdict), endpoint, before);
}

/** PD does not know the store, member or path. */
export const isUnknown = ({ code }: Refusal) => code === "PD_NOT_FOUND";

/** Placement rules are switched off (tikv/pd server/api/rule.go). */
export const hasNoRules = ({ status }: Refusal) => status === 412;

/** The store is Tombstone (tikv/pd server/api/store.go). */
export const isRemoved = ({ status }: Refusal) => status === 410;

/** No member of PD has this id. PD answers with status 500 (tikv/pd server/api/member.go). */
export const isUnknownMember = ({ reason }: Refusal) => reason.includes("member not found");
