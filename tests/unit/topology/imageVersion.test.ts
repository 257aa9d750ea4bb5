import * as assert from "node:assert/strict";
import { imageTag, publishedTag } from "../../../topology/imageVersion";

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

describe("a version in the form of TiDB's tags", () => {
    for (const [version, tag] of [
        ["8", "v8.0.0"],
        ["8.5", "v8.5.0"],
        ["8.5.3", "v8.5.3"],
        ["8.5.3-alpha", "v8.5.3-alpha"],
    ]) {
        it(`is ${tag} for ${version}`, () => {
            assert.equal(publishedTag(version), tag);
        });
    }
});
