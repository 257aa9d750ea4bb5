import type { PdCall } from "./call";
import { refused } from "./failure";
import type { PdTransport } from "./transport";
import type { Refusal } from "./verdict";

/** What a refusal stands for, where it is as good as an answer. */
export interface Instead<E> {
    readonly when: (refusal: Refusal) => boolean;
    readonly give: E;
}

/** Asks PD. A refusal rejects with a `PdError`, but for one that stands for something else. */
export async function answer<T, E = never>(
    transport: PdTransport,
    call: PdCall,
    read: (body: string) => T,
    instead?: Instead<E>,
): Promise<T | E> {
    const { verdict, endpoint, before } = await transport.ask(call, read);
    if (verdict.kind === "done") {
        return verdict.value;
    }
    if (instead?.when(verdict)) {
        return instead.give;
    }
    throw refused(call, verdict, endpoint, before);
}

/** PD does not know what the call is about. */
export const isUnknown = ({ code }: Refusal) => code === "PD_NOT_FOUND";

/** Placement rules are switched off, so that there is none (tikv/pd server/api/rule.go). */
export const hasNoRules = ({ status }: Refusal) => status === 412;

/** The store is Tombstone (tikv/pd server/api/store.go). */
export const isRemoved = ({ status }: Refusal) => status === 410;

/** No member of PD has this id: PD says so with 500 (tikv/pd server/api/member.go). */
export const isNoMember = ({ reason }: Refusal) => reason.includes("member not found");
