import * as assert from "node:assert/strict";
import { emptyMemory, type Memory } from "../../../../../provider/lifecycle/vocabulary/memory";
import type { ObservedRootPassword } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextPasswordMove } from "../../../../../provider/lifecycle/walks/rootPassword";
import { defaultPolicy } from "../../../../../provider/lifecycle/vocabulary/target";
import { acted, waited } from "../../../../support/lifecycle/decisionTable";
import { inWords } from "../../../../support/lifecycle/inWords";
import { observed } from "../../../../support/lifecycle/observations";

const target = { policy: defaultPolicy, hasServers: true, isNew: false };
const { observation } = observed("tidb", {});
const login = (how: "nothing" | "secret" | "neither") => ({ pod: "basic-tidb-0", uid: "uid-0", with: how });
const there = (how: "nothing" | "secret" | "neither"): ObservedRootPassword => ({ secret: "there", login: login(how) });
const open = "basic-tidb-0 still lets root in without a password";

const rows: [name: string, rootPassword: ObservedRootPassword, words: string, memory?: Memory][] = [
    [
        "there is no Secret",
        { secret: "absent" },
        "password-secret basic-init: create Secret basic-init with a random password",
    ],
    [
        "the Secret has no password",
        { secret: "without-password" },
        "fail password-secret basic-init [secret-without-password]: Secret basic-init exists but has no password in its key root. Next: add one there, or delete the Secret: it is then created with a random one",
    ],
    ["TiDB was not queried", { secret: "there" }, "look asks:[root-login]"],
    [
        "root has none",
        there("nothing"),
        "root-login basic-tidb: set root's password to the one in Secret basic-init, through basic-tidb-0",
    ],
    [
        "root still has none",
        there("nothing"),
        `wait root-login basic-tidb: ${open}`,
        acted("set-password basic-init", 1_000),
    ],
    [
        "root never gets one",
        there("nothing"),
        `fail root-login basic-tidb: ${open}, for 600 s. Next: set root's password by hand, or find out why TiDB does not apply it: skip-grant-table lets everyone in`,
        waited("root-login", "basic-tidb", 600),
    ],
    [
        "root has the Secret's",
        there("secret"),
        "note basic-init: record on Secret basic-init that root has this password",
    ],
    [
        "root has another one",
        there("neither"),
        "note basic-init: record on Secret basic-init that root has a different password",
    ],
];

describe("messages while root's password is set", () => {
    for (const [name, rootPassword, words, memory] of rows) {
        it(name, () => {
            const move = nextPasswordMove({ ...observation, rootPassword }, target, memory ?? emptyMemory);
            assert.equal(inWords(move), words);
        });
    }
    it("nothing is decided without reading the Secret: a root with a password would get another one", () => {
        const message = "the Secret with root's password was not read";
        assert.throws(() => nextPasswordMove(observation, target, emptyMemory), { message });
    });
});
