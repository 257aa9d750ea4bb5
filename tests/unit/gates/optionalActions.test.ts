import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { TidbRefusal } from "../../../provider/cluster/tidbLabels";
import { GateError } from "../../../provider/gates/gateError";
import { toleratedRefusal } from "../../../provider/gates/takeAction";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { pdError } from "../cluster/playedPd";

const failed = (cause: Error) =>
    new GateError(
        { code: "action-failed", step: "store-labels", target: "basic", seen: cause.message, next: "" },
        { cause },
    );
const labels = { zone: "a" };

describe("an update whose labels are refused goes on, as the operator does", () => {
    const stores: Action = { do: "set-store-labels", sets: [{ storeId: 1, pod: "basic-tikv-0", labels }] };
    const servers: Action = { do: "set-server-labels", sets: [{ pod: "basic-tidb-0", uid: "a", labels }] };

    it("by PD, for strictly-match-label", () =>
        assert.notEqual(toleratedRefusal(stores, failed(pdError("PD_REFUSED"))), undefined));

    it("by TiDB", () => assert.notEqual(toleratedRefusal(servers, failed(new TidbRefusal("500"))), undefined));

    it("or by the API server, as a reclaim policy: the cluster works with any", () => {
        const action: Action = { do: "set-reclaim-policy", policy: "Retain", claims: [] };
        const by = (status: number) => failed(new KubernetesApiError("forbidden", status));
        assert.notEqual(toleratedRefusal(action, by(403)), undefined);
        assert.equal(toleratedRefusal(action, by(503)), undefined);
        assert.equal(
            toleratedRefusal({ do: "remove-member", member: "m", memberId: "1", pod: "p" }, by(403)),
            undefined,
        );
    });

    it("but not without an answer, or after the lock was lost", () => {
        assert.equal(toleratedRefusal(stores, failed(pdError("PD_UNREACHABLE"))), undefined);
        assert.equal(toleratedRefusal(servers, new Error("another run holds the lock")), undefined);
    });
});
