import * as assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { openState, type ResourceState } from "../../../sandbox/engine/state";
import { makeSecret } from "../../../sandbox/engine/values";

describe("engine: state file", () => {
    let folder: string;
    const name = () => ({ folder, project: "project", stack: "dev", passphrase: "open sesame" });
    const resource: ResourceState = {
        urn: "urn:pulumi:dev::project::t::name",
        type: "t",
        custom: true,
        id: "id",
        inputs: { password: makeSecret("hunter2"), plain: 1 },
        outputs: { list: [makeSecret({ inner: "hunter2" })] },
        dependencies: [],
        propertyDependencies: {},
    };

    beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), "engine-state-"))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    function text(): string {
        return readFileSync(path.join(folder, "project.dev.json"), "utf8");
    }

    it("contains no secret in clear, and gives it back", () => {
        const state = openState(name(), { lock: false });
        state.resources.push(resource);
        state.save();
        assert.ok(!text().includes("hunter2"));
        assert.deepEqual(openState(name(), { lock: false }).resources, [resource]);
    });

    it("keeps the text of an unchanged secret", () => {
        const state = openState(name(), { lock: false });
        state.resources.push(resource);
        state.save();
        const first = text();
        state.save();
        assert.equal(text(), first);
    });

    it("does not open with another passphrase, and says so", () => {
        const state = openState(name(), { lock: false });
        state.resources.push(resource);
        state.save();
        assert.throws(
            () => openState({ ...name(), passphrase: "wrong" }, { lock: false }),
            /was written with another PULUMI_CONFIG_PASSPHRASE/,
        );
    });

    it("names the operations that a killed run had begun", () => {
        const state = openState(name(), { lock: false });
        const create = { urn: resource.urn, operation: "creating" as const };
        const other = { urn: "urn:other", operation: "updating" as const };
        state.begin(create);
        state.begin(other);
        state.end(create);
        assert.deepEqual(openState(name(), { lock: false }).interrupted, [other]);
    });

    it("is complete at any time, because nothing is written into the file itself", () => {
        const state = openState(name(), { lock: false });
        state.save();
        const before = readFileSync(path.join(folder, "project.dev.json"));
        state.resources.push(resource);
        state.save();
        assert.notDeepEqual(readFileSync(path.join(folder, "project.dev.json")), before);
        assert.deepEqual(readdirSync(folder), ["project.dev.json"]);
    });

    it("belongs to one run at a time, as long as that run lives", () => {
        const state = openState(name(), { lock: true });
        assert.throws(
            () => openState(name(), { lock: true }),
            new RegExp(`locked by another run \\(process ${process.pid}\\)`),
        );
        assert.doesNotThrow(() => openState(name(), { lock: false }));
        state.unlock();
        assert.equal(existsSync(path.join(folder, "project.dev.lock")), false);

        // No process has this id: it is above the highest that a system gives.
        writeFileSync(path.join(folder, "project.dev.lock"), "999999999");
        openState(name(), { lock: true }).unlock();
    });
});
