import type { Action } from "../../../provider/lifecycle/move";
import { stopPod } from "./advance";
import { findViolation } from "./rules";
import { pdAnswers, type Simulation } from "./state";

const PD_ACTIONS = new Set<Action["do"]>([
    "transfer-leader",
    "begin-eviction",
    "end-eviction",
    "remove-store",
    "bring-store-back",
    "remove-member",
]);

/** Does what a gate's action does to a cluster, and notes which rule of design §5 it breaks. */
export function perform(state: Simulation, action: Action): void {
    state.log.push(`${state.now} ${JSON.stringify(action)}`);
    if (PD_ACTIONS.has(action.do) && !pdAnswers(state)) {
        throw new Error(`PD does not answer ${action.do}`);
    }
    const violation = findViolation(state, action);
    if (violation) {
        state.violations.push(`${violation}: ${JSON.stringify(action)}`);
    }
    switch (action.do) {
        case "transfer-leader":
            state.transfer = { to: action.to, at: state.now + 300 };
            return;
        case "begin-eviction":
            if (!state.evictions.has(action.storeId)) {
                state.evictions.set(action.storeId, { owner: "ours", since: state.now });
            }
            return;
        case "end-eviction":
            state.evictions.delete(action.storeId);
            return;
        case "delete-pod":
            if (state.pods.some((pod) => pod.uid === action.uid)) {
                stopPod(state, action.pod);
            }
            return;
        case "remove-store":
        case "bring-store-back": {
            const store = state.stores.find((one) => one.id === action.storeId && one.phase !== "Tombstone");
            if (store) {
                store.phase = action.do === "remove-store" ? "Offline" : "Serving";
            }
            return;
        }
        case "remove-member": {
            const member = state.members.find((one) => one.name === action.member);
            if (member) {
                state.deletedMemberClaims.add(member.claim);
                state.members = state.members.filter((one) => one !== member);
            }
            return;
        }
        case "release-claims":
        case "delete-claims": {
            const uids = action.claims.map((claim) => claim.uid);
            for (const claim of state.claims.filter((one) => uids.includes(one.uid))) {
                claim[action.do === "release-claims" ? "released" : "terminating"] = true;
            }
            return;
        }
        case "transfer-primary":
        case "begin-shutdown":
        case "drain-capture":
        case "resign-owner":
        case "close-pump":
        case "delete-stateful-set":
        case "make-password-secret":
        case "set-password":
        case "note-password":
            throw new Error(`the model has no member for ${action.do}`);
        case "note-pd":
        case "forget-eviction":
        case "forget-removal":
            return;
    }
}
