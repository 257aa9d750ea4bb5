import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { neededTypes } from "../../../scripts/package/types";

describe("the types of the package", () => {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-types-"));
    after(() => rmSync(folder, { recursive: true }));

    /** @returns what is needed of these files, by name. `index.d.ts` is the entry. */
    function needed(files: Record<string, string>): Record<string, string> {
        for (const [name, text] of Object.entries(files)) {
            mkdirSync(dirname(join(folder, name)), { recursive: true });
            writeFileSync(join(folder, name), text);
        }
        const found = neededTypes([join(folder, "index.d.ts")]);
        return Object.fromEntries([...found].map(([file, text]) => [file.slice(folder.length + 1), text]));
    }

    it("have all of an entry, and of other files only what it leads to, with documentation", () => {
        const found = needed({
            "index.d.ts": 'import type { Spec } from "./spec";\n/** What users set. */\nexport type Args = Spec;\n',
            "spec.d.ts":
                'import type { Size, Unused } from "./sizes";\n/** A cluster. */\nexport interface Spec {\n    /** How much. */\n    size: Size;\n}\n/** Nobody has it. */\nexport type Other = Unused;\n',
            "sizes.d.ts":
                "export type Unused = string;\ndeclare const sizes: { small: 1 };\nexport type Size = keyof typeof sizes;\n",
        });
        assert.deepEqual(found, {
            "index.d.ts": 'import type { Spec } from "./spec";\n/** What users set. */\nexport type Args = Spec;\n',
            "spec.d.ts":
                'import type { Size } from "./sizes";\n/** A cluster. */\nexport interface Spec {\n    /** How much. */\n    size: Size;\n}\n',
            "sizes.d.ts": "declare const sizes: { small: 1 };\nexport type Size = keyof typeof sizes;\n",
        });
    });

    it("lead through files that only pass names on", () => {
        const found = needed({
            "index.d.ts": 'export { One as First } from "./all";\n',
            "all.d.ts": 'export { One, Two } from "./both";\nexport { Three } from "./three";\n',
            "both.d.ts": "export declare class One {\n}\nexport declare class Two {\n}\n",
            "three.d.ts": "export type Three = 3;\n",
        });
        assert.deepEqual(found, {
            "index.d.ts": 'export { One as First } from "./all";\n',
            "all.d.ts": 'export { One } from "./both";\n',
            "both.d.ts": "export declare class One {\n}\n",
        });
    });

    it("are refused if a file passes on what it does not name", () => {
        const files = { "index.d.ts": 'export * from "./all";\n', "all.d.ts": "export type One = 1;\n" };
        assert.throws(() => needed(files), /index\.d\.ts: found "\.\/all", of which nothing is kept/);
    });

    it("are refused if an import leads nowhere", () => {
        assert.throws(
            () => needed({ "index.d.ts": 'export type { Gone } from "./gone";\n' }),
            /index\.d\.ts: Cannot find module '\.\/gone'.*Run npm run build again/,
        );
    });
});
