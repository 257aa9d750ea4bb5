import type { PodDrain, Room } from "../../../provider/lifecycle/vocabulary/drain";
import { type Fact, known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { now } from "./observations";

const said = <T>(value: T): Fact<T> => known(value, "the API server", now);
const somewhere: Room = { is: "somewhere", nodes: ["node-2"] };
export const bound: Room = { is: "bound", volume: "tikv-basic-tikv-3" };
export const nowhere: Room = { is: "nowhere", why: "of 2 other nodes: 2 without room for what it requests" };
export const unreadNode: Partial<ObservedPod> = {
    node: "node-1",
    drain: notKnown("could not read node node-1: 403"),
};

/** A pod on a node that is being emptied. @param room undefined: it was not asked for; null: it is not known */
export function onDrained(
    room: Room | null | undefined = somewhere,
    more: Partial<Extract<PodDrain, { isDrained: true }>> = {},
): Partial<ObservedPod> {
    const drain: PodDrain = { isDrained: true, node: "node-1", why: "is cordoned", isReady: true, ...more };
    return {
        node: "node-1",
        drain: said(drain),
        ...(room === undefined ? {} : { room: room === null ? notKnown("403") : said(room) }),
    };
}

/** The same pod without an answer about other nodes. */
export const notAskedRoom: Partial<ObservedPod> = { ...onDrained(), room: undefined };

/** A pod on a node that stays. */
export const onKept: Partial<ObservedPod> = { node: "node-2", drain: said<PodDrain>({ isDrained: false }) };
