import * as assert from "node:assert/strict";
import { imageTag } from "../../../topology/imageVersion";

describe("the tag of an image", () => {
    for (const [image, tag] of [
        ["pingcap/tikv:v8.5.3", "v8.5.3"],
        ["hub:5000/pingcap/tikv:v8.5.3", "v8.5.3"],
        ["hub:5000/pingcap/tikv", "latest"],
        ["pingcap/tikv:v8.5.0@sha256:0f3c1a2b", "v8.5.0"],
        ["hub:5000/pingcap/tikv:v8.5.0@sha256:0f3c1a2b", "v8.5.0"],
        ["pingcap/tikv@sha256:0f3c1a2b", "0f3c1a2b"],
        ["hub:5000/pingcap/tikv@sha256:0f3c1a2b", "0f3c1a2b"],
    ]) {
        it(`is ${tag} in ${image}`, () => {
            assert.equal(imageTag(image), tag);
        });
    }
});
