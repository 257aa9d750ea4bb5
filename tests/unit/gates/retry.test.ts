import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { retryTransient } from "../../../provider/gates/retry";
import { record } from "../../support/gates/recordedPorts";
import { now } from "../../support/lifecycle/observations";
import { repeats } from "../../support/repeats";

const silent = new KubernetesApiError("the API server did not answer", undefined);
const fail =
    (error: Error = silent) =>
    () =>
        Promise.reject(error);
const answer = () => Promise.resolve("an answer");
const clock = (time: number) => new Date(time).toTimeString().slice(0, 8);

/** What is asked, and at which time of the run, in seconds. */
function asking(firstMustSucceed = false) {
    const statuses: string[] = [];
    const ports = record();
    ports.progress.status = (message) => statuses.push(message);
    const ask = retryTransient(ports, firstMustSucceed);
    const at = (seconds: number, call: () => Promise<string>) => {
        ports.time = now + seconds * 1000;
        return ask(call);
    };
    return { at, statuses, ports };
}

describe("a retry after trouble that may pass", () => {
    it("continues for five minutes and no longer, and says when it will end", async () => {
        const { at, statuses, ports } = asking();
        for (const seconds of [0, 59, 118, 177, 236, 295]) {
            assert.equal(await at(seconds, fail()), undefined);
        }
        await assert.rejects(at(300, fail()), silent);
        const until = clock(now + 300_000);
        assert.equal(statuses[0], `waiting: the API server did not answer (0 s; fails at ${until})`);
        assert.equal(statuses[5], `waiting: the API server did not answer (295 s; fails at ${until})`);
        assert.equal(ports.time, now + 300_000, "it does not wait once more before it fails");
    });

    it("asks again after a second", async () => {
        const { at, ports } = asking();
        await at(0, fail());
        assert.equal(ports.time, now + 1_000);
    });

    it("has its full time again after an answer", async () => {
        const { at, statuses } = asking();
        await at(0, fail());
        await at(40, answer);
        await at(50, fail());
        assert.equal(statuses[1], `waiting: the API server did not answer (0 s; fails at ${clock(now + 350_000)})`);
    });

    it("starts a new period if the trouble was minutes ago, even without an answer in between", async () => {
        const { at, statuses } = asking();
        await at(0, fail());
        assert.equal(await at(400, fail()), undefined);
        repeats(statuses[1], `0 s; fails at ${clock(now + 700_000)}`);
    });

    it("fails after five periods without a success, however far apart they are", async () => {
        const { at } = asking();
        for (const seconds of [0, 61, 122, 183, 244]) {
            assert.equal(await at(seconds, fail()), undefined);
        }
        await assert.rejects(at(305, fail()), silent);
    });

    it("counts the periods anew after a success", async () => {
        const { at } = asking();
        for (const seconds of [0, 61, 122, 183, 244]) {
            await at(seconds, fail());
        }
        await at(300, answer);
        assert.equal(await at(305, fail()), undefined);
    });

    it("reports the trouble at once if nobody ever answered and somebody must", async () => {
        const { at } = asking(true);
        await assert.rejects(at(0, fail()), silent);
        assert.equal(await at(1, answer), "an answer");
        assert.equal(await at(2, fail()), undefined);
    });

    for (const [name, error, passes] of [
        ["an API server that is silent, behind another error", new Error("could not look", { cause: silent }), true],
        ["a defect", new TypeError("a defect"), false],
        ["a defect behind another error", new Error("could not look", { cause: new TypeError("a defect") }), false],
        ["an error whose cause is not an error", new Error("could not look", { cause: "unknown" }), false],
        ["a refusal of the API server", new KubernetesApiError("403 forbidden", 403), false],
    ] as const) {
        it(`${passes ? "follows" : "does not follow"} ${name}`, async () => {
            const { at } = asking();
            await (passes
                ? assert.doesNotReject(at(0, fail(error)))
                : assert.rejects(at(0, fail(error)), (thrown) => thrown === error));
        });
    }
});
