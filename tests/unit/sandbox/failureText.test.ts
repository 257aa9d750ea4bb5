import * as assert from "node:assert/strict";
import { failureText } from "../../../sandbox/failureText";

describe("an unusable cache folder", () => {
    it("is not blamed for a program that does not start, or for another fault", () => {
        const spawn = Object.assign(new Error("spawn go ENOENT"), { code: "ENOENT", syscall: "spawn go" });
        assert.equal(failureText(spawn), "spawn go ENOENT");
        assert.equal(failureText(new Error("etcd ended")), "etcd ended");
    });

    it("is named with the reason if the disk is full", () => {
        const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
            code: "ENOSPC",
            syscall: "write",
        });
        assert.match(failureText(full, "/cache"), /^the cache folder \/cache cannot be used: the disk is full\./);
    });
});
