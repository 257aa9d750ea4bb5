import * as assert from "node:assert/strict";
import { isAtLeast } from "../../../components/imageVersion";

describe("whether an image is TiFlash 7.1 or later", () => {
    for (const [image, expected] of [
        ["pingcap/tiflash:v7.1.0", true],
        ["pingcap/tiflash:v7.0.9", false],
        ["pingcap/tiflash:v8.5.3-hotfix", true],
        ["pingcap/tiflash:nightly", true],
        ["pingcap/tiflash", true],
        ["hub:5000/pingcap/tiflash", true],
        ["hub:5000/pingcap/tiflash:v6.5.0", false],
        ["pingcap/tiflash:v8.5.3@sha256:0f3c1a2b", true],
        ["pingcap/tiflash:v6.5.0@sha256:0f3c1a2b", false],
        ["pingcap/tiflash@sha256:0f3c1a2b", undefined],
        ["pingcap/tiflash:mine", undefined],
    ] as const) {
        it(`is ${expected ?? "not known"} for ${image}`, () => {
            assert.equal(isAtLeast(image, [7, 1, 0]), expected);
        });
    }
});
