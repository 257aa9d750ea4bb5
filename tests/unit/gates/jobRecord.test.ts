import * as assert from "node:assert/strict";
import { check, create, delete_, diff } from "../../../provider/gates/gates";
import { unknownValue } from "../../../provider/gates/inputs";
import { isUpdated } from "./pulumiDiff";

const program = { gate: "record", namespace: "tidb", job: "restore-monday", jobUid: "u1", statusUrn: "a::b" };

/** What the engine keeps of a record that enters the state, as the inputs of the last update. */
async function kept(news: object): Promise<Record<string, unknown>> {
    const { inputs } = await check({}, { ...news });
    return (await create(inputs)).outs;
}

describe("the record of a Job that may have begun", () => {
    const began = async (news: object, olds = {}) => (await check(olds, { ...program, ...news })).inputs.began;

    it("has the first Job of the attempt", async () => {
        assert.equal((await kept(program)).began, "u1");
    });

    it("keeps it when the Job is made anew, and is no change then", async () => {
        const olds = await kept(program);
        const { inputs } = await check(olds, { ...program, jobUid: "u2" });
        assert.equal(inputs.began, "u1");
        assert.deepEqual(await diff("u1", olds, inputs), { changes: false });
        assert.equal(await began({ jobUid: "u3" }, inputs), "u1", "nor an update later");
    });

    it("keeps it in a preview that does not know the uid of the Job it makes", async () => {
        assert.equal(await began({ jobUid: unknownValue }, await kept(program)), "u1");
        assert.equal(await began({ jobUid: unknownValue }), unknownValue);
    });

    for (const other of [{ job: "restore-tuesday" }, { namespace: "other" }]) {
        it(`is of another Job where that is another one: ${JSON.stringify(other)}`, async () => {
            const olds = await kept(program);
            const { inputs } = await check(olds, { ...program, ...other, jobUid: "u2" });
            assert.equal(inputs.began, "u2");
            assert.equal(await isUpdated({ inputs: olds, outputs: olds }, inputs), true);
        });
    }

    it("leaves with its attempt, and touches nothing then", async () => {
        await delete_("u1", await kept(program));
    });
});
