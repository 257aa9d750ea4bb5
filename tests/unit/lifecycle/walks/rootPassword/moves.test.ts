import * as assert from "node:assert/strict";
import { emptyMemory, type Memory } from "../../../../../provider/lifecycle/vocabulary/memory";
import type { Observation, ObservedRootPassword } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextPasswordMove, randomPassword } from "../../../../../provider/lifecycle/walks/rootPassword";
import { defaultPolicy } from "../../../../../provider/lifecycle/vocabulary/target";
import { acted, waited } from "../../../../support/lifecycle/decisionTable";
import { inShort, observed } from "../../../../support/lifecycle/observations";
import { repeats } from "../../../../support/repeats";

const login = (how: "nothing" | "secret" | "neither") => ({ pod: "basic-tidb-0", uid: "uid-0", with: how });
const trouble = { trouble: "basic-tidb-0 is not Ready" };
const seen = (rootPassword: ObservedRootPassword): Observation => ({
    ...observed("tidb", {}).observation,
    rootPassword,
});
const target = { policy: defaultPolicy, hasServers: true, isNew: false };

describe("giving root a password", () => {
    type Row = [
        title: string,
        rootPassword: ObservedRootPassword,
        move: string,
        change?: Partial<typeof target>,
        memory?: Memory,
    ];
    const rows: Row[] = [
        ["the Secret comes first", { secret: "absent" }, "make-password-secret basic-init"],
        [
            "a root without a password gets whatever the Secret holds",
            { secret: "there", login: login("nothing") },
            "set-password basic-init",
        ],
        [
            "a password that was set is recorded, also by the run after a killed one",
            { secret: "there", login: login("secret") },
            "note-password set",
        ],
        [
            "a root that has another one is left alone",
            { secret: "there", login: login("neither") },
            "note-password left-alone",
        ],
        ["what is recorded is done", { secret: "there", noted: "set", login: login("secret") }, "done"],
        ["what is recorded is done, whatever changed since", { secret: "there", noted: "set", login: trouble }, "done"],
        ["a root that was left alone stays so", { secret: "there", noted: "left-alone", login: trouble }, "done"],
        [
            "a Secret without a password is not filled in",
            { secret: "without-password" },
            "fail password-secret basic-init [secret-without-password]",
        ],
        ["TiDB is waited for", { secret: "there", login: trouble }, "wait root-login basic-tidb"],
        [
            "but not forever",
            { secret: "there", login: trouble },
            "fail root-login basic-tidb",
            {},
            waited("root-login", "basic-tidb", 601),
        ],
        [
            "one statement is given time to take effect",
            { secret: "there", login: login("nothing") },
            "wait root-login basic-tidb",
            {},
            acted("set-password basic-init", 1_000),
        ],
        [
            "and repeated then",
            { secret: "there", login: login("nothing") },
            "set-password basic-init",
            {},
            acted("set-password basic-init", 6_000),
        ],
        [
            "but not forever, if it has none",
            { secret: "there", login: login("nothing") },
            "fail root-login basic-tidb",
            {},
            { ...acted("set-password basic-init", 6_000), ...waited("root-login", "basic-tidb", 601) },
        ],
        ["without a server there is nothing to do", { secret: "absent" }, "done", { hasServers: false }],
        // The Secret outlives a cluster whose volumes were deleted by hand.
        [
            "a new cluster's root gets the password of a Secret that was left behind with its record",
            { secret: "there", noted: "set", login: login("nothing") },
            "set-password basic-init",
            { isNew: true },
        ],
        [
            "one on the volumes of before has it already",
            { secret: "there", noted: "set", login: login("secret") },
            "done",
            { isNew: true },
        ],
        ["or another one, by now", { secret: "there", noted: "set", login: login("neither") }, "done", { isNew: true }],
        [
            "a root that was left alone once and now has the Secret's password is recorded so",
            { secret: "there", noted: "left-alone", login: login("secret") },
            "note-password set",
            { isNew: true },
        ],
    ];
    for (const [title, rootPassword, move, change, memory] of rows) {
        it(`${title}: ${move}`, () => {
            const next = nextPasswordMove(seen(rootPassword), { ...target, ...change }, memory ?? emptyMemory);
            assert.equal(inShort(next), move);
        });
    }

    it("names the pod of a TiDB that cannot be queried, the reason, and what to do", () => {
        const memory = waited("root-login", "basic-tidb", 601);
        const move = nextPasswordMove(seen({ secret: "there", login: trouble }), target, memory);
        assert.equal(move.kind, "fail");
        repeats((move as Extract<typeof move, { kind: "fail" }>).problem.seen, "basic-tidb-0", "601 s");
    });
});

describe("a random password", () => {
    /** A fixed sequence: 7, 38, 69, … in the style of a linear congruential generator. */
    function sequence(seed: number): (count: number) => Uint8Array {
        let state = seed;
        return (count) =>
            Uint8Array.from({ length: count }, () => (state = (state * 1_103_515_245 + 12_345) >>> 0) >>> 24);
    }

    it("has 13 characters or more, of every kind that a policy may require, and none that needs quoting", () => {
        for (let seed = 0; seed < 500; seed++) {
            const password = randomPassword(sequence(seed));
            assert.match(password, /^[A-Za-z][A-Za-z0-9_-]{12,}$/);
            for (const kind of [/[a-z]/, /[A-Z]/, /[0-9]/, /[_-]/]) {
                assert.match(password, kind);
            }
        }
    });

    it("differs for different bytes", () => {
        const made = Array.from({ length: 500 }, (_, seed) => randomPassword(sequence(seed)));
        assert.equal(new Set(made).size, 500);
    });
});
