import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { columns, nodes } from "../../../scripts/matrix/versions";
import { root } from "./pages";

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
/** The cells of a row of the page's table. */
const rowOf = (name: string) => {
    const row = read("docs", "supported-versions.md")
        .split("\n")
        .find((line) => line.startsWith(`| ${name} `));
    assert.ok(row, `no row for ${name}`);
    return row;
};
const { engines, ...packageJson } = JSON.parse(read("package.json")) as {
    engines: { node: string };
    dependencies: Record<string, string>;
    peerDependencies: Record<string, string>;
};

/** What follows a version range's operator: `^3.248.0` becomes `3.248.0`. */
const lowestOf = (range: string) => range.replace(/^[^\d]*/, "");
const ranges = { ...packageJson.dependencies, ...packageJson.peerDependencies };

describe("docs/supported-versions.md", () => {
    const [lowest] = columns;

    it("names the lowest versions of Pulumi's packages that package.json allows, and the matrix tries them", () => {
        for (const name of ["@pulumi/pulumi", "@pulumi/kubernetes"]) {
            const version = lowestOf(ranges[name]);
            assert.equal(lowest.packages[name], version);
            assert.ok(rowOf(`\`${name}\``).includes(` ${version} `), version);
        }
    });

    it("names the lowest Node.js that package.json allows, and the matrix tries it", () => {
        const version = lowestOf(engines.node);
        assert.ok(rowOf("Node.js").includes(` ${version} `), version);
        assert.equal(nodes[0], `${version}.0.0`);
    });

    it("names the Kubernetes of the sandbox", () => {
        const [, version] = /k8s\.io\/kubernetes v([\d.]+)/.exec(
            read("sandbox", "controlPlane", "programs", "kubernetes", "go.mod"),
        ) as RegExpExecArray;
        assert.ok(rowOf("Kubernetes").includes(version), version);
    });
});
