import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { permissionsOf } from "../../../topology/permissions";

const repository = path.resolve(__dirname, "../../..");

interface Role {
    kind: string;
    metadata: { name: string };
    rules: { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[];
}

/** The Role that the documentation shows, wherever it is. */
function documentedRole(): Role {
    const docs = readdirSync(path.join(repository, "docs"), { recursive: true, encoding: "utf8" });
    const pages = ["README.md", ...docs.map((page) => path.join("docs", page))].filter((page) => page.endsWith(".md"));
    const blocks = pages.flatMap((page) =>
        [...readFileSync(path.join(repository, page), "utf8").matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text),
    );
    const roles = blocks
        .filter((text) => /^kind: Role$/m.test(text) && /^ {2}name: pulumi-tidb$/m.test(text))
        .map((text) => parse(text) as Role);
    assert.equal(roles.length, 1, "one Role named pulumi-tidb is documented");
    return roles[0];
}

describe("the permissions that a preview checks", () => {
    it("are those of the documented Role, for the cluster `mine`", () => {
        const documented = documentedRole().rules.flatMap(({ apiGroups, resources, resourceNames = [""], verbs }) =>
            apiGroups.flatMap((group) =>
                resources.flatMap((resource) =>
                    resourceNames.flatMap((name) => verbs.map((verb) => [group, resource, name, verb].join(" "))),
                ),
            ),
        );
        const checked = permissionsOf("mine").map(({ apiGroup, resource, name = "", verb }) =>
            [apiGroup, resource, name, verb].join(" "),
        );
        assert.deepEqual([...new Set(checked)].sort(), [...new Set(documented)].sort());
    });
});
