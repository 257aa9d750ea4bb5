import * as assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";

const repository = path.resolve(__dirname, "../../..");

/** Packages that a program loads with this one, or whose types its compiler reads, each by the file that asks for it. */
function packagesBehind(entry: string): Map<string, string> {
    const packages = new Map<string, string>();
    const seen = new Set<string>();
    const open = [path.join(repository, entry)];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
        if (seen.has(file)) {
            continue;
        }
        seen.add(file);
        for (const [, from] of readFileSync(file, "utf8").matchAll(/^(?:import|export|\}) .*?from "([^"]+)"/gm)) {
            if (!from.startsWith(".")) {
                packages.set(from, path.relative(repository, file));
                continue;
            }
            const target = path.resolve(path.dirname(file), from);
            open.push(...[`${target}.ts`, path.join(target, "index.ts")].filter((one) => existsSync(one)));
        }
    }
    return packages;
}

describe("the modules that an import of this package loads", () => {
    const packages = packagesBehind("index.ts");

    it("are followed to the end", () => {
        assert.ok(packages.has("@pulumi/kubernetes"));
        assert.ok(packages.has("yaml"));
    });

    // Its 800 files of types alone took a quarter of the time of a program's compiler, and its code 0.6 s.
    for (const heavy of ["@kubernetes/client-node", "axios", "@grpc/grpc-js", "mysql2"]) {
        it(`include neither ${heavy} nor its types`, () => {
            assert.equal(packages.get(heavy), undefined, `${packages.get(heavy)} imports ${heavy}`);
        });
    }
});
