import type { Room } from "../vocabulary/drain";

/** @returns why the pod cannot leave its node for another one; undefined if it can. @param left the node in words */
export function lacksRoom(room: Room, podName: string, left: string): string | undefined {
    switch (room.is) {
        case "somewhere":
            return undefined;
        case "bound":
            return `${podName} cannot leave ${left}: the volume of ${room.volume} is there`;
        case "nowhere":
            return `no other node takes ${podName} from ${left}: ${room.why}`;
    }
}
