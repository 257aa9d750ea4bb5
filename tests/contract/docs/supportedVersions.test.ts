import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { columns, nodes } from "../../../scripts/matrix/versions";
import { root } from "./pages";

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const page = read("docs", "supported-versions.md");
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
            assert.match(page, new RegExp(`\`${name}\` +\\| ${version} or a later ${version.split(".")[0]}\\.x`));
        }
    });

    it("names the lowest Node.js that package.json allows, and the matrix tries it", () => {
        const version = lowestOf(engines.node);
        assert.match(page, new RegExp(`Node\\.js +\\| ${version} or later`));
        assert.equal(nodes[0], `${version}.0.0`);
        const [first, ...newest] = nodes;
        const names = `${first} and the newest ${newest.slice(0, -1).join(", ")} and ${newest.at(-1)}`;
        assert.ok(page.replaceAll("\n", " ").includes(`Node.js ${names}`), names);
    });

    it("names the Kubernetes of the sandbox", () => {
        const [, version] = /k8s\.io\/kubernetes v([\d.]+)/.exec(
            read("sandbox", "controlPlane", "programs", "kubernetes", "go.mod"),
        ) as RegExpExecArray;
        assert.ok(page.includes(`${version}: the real control plane`));
    });
});
