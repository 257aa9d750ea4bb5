import * as assert from "node:assert/strict";
import { troubleOf } from "../../../provider/cluster/podStatus";

describe("a pod's status page", () => {
    const plain = { port: 10080, path: "/status" };
    const says = { port: 20292, path: "/tiflash/store-status", says: "Running" };
    const rows: [title: string, page: typeof plain, status: number, text: string, trouble: string | null][] = [
        ["200 is healthy, whatever it says", plain, 200, "{}", null],
        ["500 is unhealthy", plain, 500, "", "answers 500"],
        ["404 is unhealthy if every version has the page", plain, 404, "", "answers 404"],
        ["the expected word is healthy", says, 200, "Running\n", null],
        ["another word is unhealthy", says, 200, "Ready", "reports Ready, not Running"],
        ["a word that only begins with it is unhealthy", says, 200, "Running out", "reports Running out, not Running"],
        ["500 is unhealthy, whatever it says", says, 500, "Running", "answers 500"],
        ["a redirect is unhealthy: another page says nothing of this pod", plain, 302, "{}", "answers 302"],
        ["404 is healthy, because older versions have no such page", says, 404, "not found", null],
    ];
    for (const [title, page, status, text, trouble] of rows) {
        it(title, () => assert.equal(troubleOf({ status, text }, page), trouble));
    }
});
