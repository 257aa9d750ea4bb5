import * as assert from "node:assert/strict";
import { onItsPd } from "../../../provider/gates/sameCluster";
import { record } from "../../support/gates/recordedPorts";
import { noLook } from "../../../provider/lifecycle/vocabulary/look";

describe("the ports of a gate that acts on its PD only", () => {
    it("let a watch answer while a step waits, as the loop asks", async () => {
        const ports = record();
        const asked: (boolean | undefined)[] = [];
        const { look } = ports;
        ports.look = (options, mayLag) => {
            asked.push(mayLag);
            return look(options);
        };
        await onItsPd(ports).look(noLook, true);
        assert.deepEqual(asked, [true]);
    });
});
