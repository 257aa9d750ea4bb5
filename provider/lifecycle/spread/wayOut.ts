import type { ObservedMember } from "../vocabulary/observation";
import type { LookOptions } from "../vocabulary/look";
import type { SpreadConstraint } from "../vocabulary/spread";
import { lacksRoom } from "../drain/lacksRoom";
import { mostOnNode, podsByNode } from "./crowding";

/** The pods of which to find out which nodes take them, however many of the member are there. */
export type RoomsAsked = Required<Pick<LookOptions, "rooms" | "roomsUnder">>;

/**
 * Whether new constraints bring pods away from crowded nodes, as the pods restart one by one. `asks`: it depends on which other nodes
 * take these pods. `closed`: a pod might find no node; and why, if that is more than the crowding.
 */
export type WayOut =
    | { readonly is: "open" }
    | { readonly is: "asks"; readonly asks: RoomsAsked }
    | { readonly is: "closed"; readonly why?: string };

/**
 * Any pod of a crowded node can be one that must leave, so each must be free to, onto nodes that they have in common. Each of these has
 * room for one more, as far as is known. A pod of another node may take such a place as it restarts, and leaves its own, which is a
 * place for those that must leave only if they may use that node. So does each pod of a crowded node that is not in common.
 * A pod that this update adds may take a place, too: it starts first.
 * @param member with what was asked for, if the answer was `asks`
 * @param coming how many pods this update adds
 */
export function wayOut({ pods }: ObservedMember, constraints: readonly SpreadConstraint[], coming: number): WayOut {
    const most = mostOnNode(constraints) ?? Infinity;
    const nodes = podsByNode(pods);
    const crowds = [...nodes.values()].filter(({ length }) => length > most);
    const tried = crowds.flat();
    const places: (readonly string[])[] = [];
    for (const { name, node = "", room } of tried) {
        if (room === undefined) {
            const roomsUnder = constraints.map((one) => ({ ...one, maxSkew: pods.length }));
            return { is: "asks", asks: { rooms: tried.map((pod) => pod.name), roomsUnder } };
        }
        const why = room.known
            ? lacksRoom(room.value, name, `node ${node}`)
            : `whether another node takes ${name} is not known: ${room.why}`;
        if (why !== undefined) {
            return { is: "closed", why };
        }
        if (room.known && room.value.is === "somewhere") {
            places.push([...room.value.nodes, node]);
        }
    }
    if (tried.length === 0) {
        return { is: "closed" };
    }
    const common = places[0].filter((node) => places.every((some) => some.includes(node)));
    const free = common.filter((node) => (nodes.get(node)?.length ?? 0) < most).length;
    const leaving = [...nodes].reduce(
        (sum, [node, { length }]) => sum + (length > most ? length - (common.includes(node) ? most : 0) : 0),
        0,
    );
    const strangers = pods.filter((pod) => !tried.includes(pod) && !common.includes(pod.node ?? "")).length;
    const left = Math.max(0, free - strangers - coming);
    return left >= leaving
        ? { is: "open" }
        : { is: "closed", why: `${leaving} must leave, and other nodes surely take ${left}` };
}
