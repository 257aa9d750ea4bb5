import assert from "node:assert/strict";
import {
    initialState,
    type StartRequest,
    type ClusterFacts,
    type DiscoveryState,
    type Facts,
    type ListedMember,
    type PdAnswer,
} from "../../../components/discovery/server/model";
import {
    decide,
    freshMilliseconds,
    joinMilliseconds,
    settleMilliseconds,
} from "../../../components/discovery/server/protocol";
import { repeats } from "../../support/repeats";

const cluster: ClusterFacts = {
    name: "basic",
    scheme: "http",
    namedByHost: false,
    joinsAnother: false,
    pdAddresses: [],
};
const silent: PdAnswer = { kind: "none", detail: "basic-pd.tidb:2379: connection refused" };

function ask(ordinal: number): StartRequest {
    return { member: `basic-pd-${ordinal}`, ordinal, host: `basic-pd-${ordinal}.basic-pd-peer.tidb.svc` };
}

function listed(ordinal: number, started = true): ListedMember {
    const host = ask(ordinal).host;
    return {
        name: started ? `basic-pd-${ordinal}` : "",
        peerUrls: [`http://${host}:2380`],
        clientUrls: started ? [`http://${host}:2379`] : [],
    };
}

const answers = (...members: ListedMember[]): PdAnswer => ({ kind: "members", own: true, members });

/** Puts asks to one discovery, one after the other; `say` returns the argument, or undefined for "wait". */
function discovery(replicas = 3, facts: Partial<Facts> = {}) {
    let state: DiscoveryState = initialState;
    let now = 0;
    return {
        wait: (milliseconds: number) => void (now += milliseconds),
        reason: "",
        say(ordinal: number, pd: PdAnswer = silent): string | undefined {
            const ordinals = { ordinals: Array.from({ length: replicas }, (_, index) => index) };
            const decision = decide(state, ask(ordinal), { now, pd, ordinals, cluster, ...facts });
            state = decision.state;
            this.reason = decision.answer.kind === "wait" ? decision.answer.reason : "";
            return decision.answer.kind === "start" ? decision.answer.argument : undefined;
        },
    };
}

const form = "--initial-cluster=basic-pd-0=http://basic-pd-0.basic-pd-peer.tidb.svc:2380";
const clientUrl = (ordinal: number) => `http://basic-pd-${ordinal}.basic-pd-peer.tidb.svc:2379`;

describe("discovery's answers", () => {
    it("form nothing before every member has asked, then let the lowest ordinal form the cluster", () => {
        const one = discovery();
        assert.equal(one.say(0), undefined);
        repeats(one.reason, "basic-pd-1, basic-pd-2");
        assert.equal(one.say(0), undefined, "asking twice counts once");
        assert.equal(one.say(2), undefined);
        assert.equal(one.say(1), undefined, "the last one to ask does not form it");
        repeats(one.reason, "basic-pd-0");
        assert.equal(one.say(0), form);
    });

    it("repeat the same member as long as no PD was seen, and name no other", () => {
        const one = discovery();
        [1, 2, 0].forEach((ordinal) => one.say(ordinal));
        assert.equal(one.say(1), undefined);
        assert.equal(one.say(2), undefined);
        assert.equal(one.say(0), form);
    });

    it("never let a second cluster be formed once a PD was seen", () => {
        for (const seen of [answers(listed(0)), { kind: "present", own: true, detail: "HTTP 500" } as const]) {
            const one = discovery();
            [1, 2, 0].forEach((ordinal) => one.say(ordinal));
            one.say(1, seen);
            one.wait(6 * joinMilliseconds);
            [1, 2, 0].forEach((ordinal) => assert.equal(one.say(ordinal), undefined));
            repeats(one.reason, "delete the discovery pod");
        }
    });

    it("take a request as proof for a limited time only", () => {
        const one = discovery();
        one.say(1);
        one.say(2);
        one.wait(freshMilliseconds + 1);
        assert.equal(one.say(0), undefined);
        repeats(one.reason, "basic-pd-1, basic-pd-2");
    });

    it("let a single member form its cluster at once", () => {
        assert.equal(discovery(1).say(0), form);
    });

    it("say whom to join: the client URLs of all other started members", () => {
        const one = discovery();
        assert.equal(one.say(2, answers(listed(0), listed(1))), `--join=${clientUrl(0)},${clientUrl(1)}`);
        one.wait(joinMilliseconds);
        const self = answers(listed(0), listed(1, false), listed(2));
        assert.equal(one.say(2, self), `--join=${clientUrl(0)}`, "a member that lost its data does not join itself");
    });

    it("tell the pod of a member that a failover removed to join: no second cluster comes out of it", () => {
        for (const failed of [0, 1, 2]) {
            const one = discovery(4);
            const others = [0, 1, 2].filter((ordinal) => ordinal !== failed);
            const left = answers(...others.map((ordinal) => listed(ordinal)));
            assert.match(one.say(failed, left) ?? "", /^--join=/, "with an empty volume");
            one.wait(joinMilliseconds);
            for (const seconds of [1, 60, 600]) {
                one.wait(seconds * 1000);
                assert.ok(!(one.say(failed) ?? "").startsWith("--initial-cluster"), "nor while PD is silent");
                assert.ok(!(one.say(3) ?? "").startsWith("--initial-cluster"));
            }
        }
    });

    it("let members join one after the other", () => {
        const one = discovery();
        assert.equal(one.say(1, answers(listed(0))), `--join=${clientUrl(0)}`);
        assert.equal(one.say(2, answers(listed(0))), undefined);
        repeats(one.reason, "basic-pd-1");
        assert.equal(one.say(2, answers(listed(0), listed(1, false))), undefined, "added is not started");
        assert.equal(one.say(1, answers(listed(0))), `--join=${clientUrl(0)}`, "the one that joins may ask again");
        assert.equal(one.say(2, answers(listed(0), listed(1))), undefined, "etcd wants all to be connected for 5 s");
        one.wait(settleMilliseconds - 1);
        assert.equal(one.say(2, answers(listed(0), listed(1))), undefined);
        one.wait(1);
        assert.equal(one.say(2, answers(listed(0), listed(1))), `--join=${clientUrl(0)},${clientUrl(1)}`);
        assert.equal(one.say(3, answers(listed(0), listed(1))), undefined);
        one.wait(joinMilliseconds);
        assert.ok(one.say(3, answers(listed(0), listed(1))), "a member that never comes holds nobody up for long");
    });

    it("say that PD may be silent for a moment while a member joins", () => {
        const one = discovery();
        one.say(1, answers(listed(0)));
        assert.equal(one.say(2), undefined);
        repeats(one.reason, "basic-pd-1");
        one.wait(6 * joinMilliseconds);
        one.say(2);
        assert.ok(!one.reason.includes("basic-pd-1"), one.reason);
    });

    it("do not let a member join itself", () => {
        const one = discovery();
        assert.equal(one.say(0, answers(listed(0))), undefined);
    });

    it("form nothing while the number of members is unknown, but allow a join", () => {
        const one = discovery(3, { ordinals: { problem: "HTTP 403" } });
        [0, 1, 2].forEach((ordinal) => assert.equal(one.say(ordinal), undefined));
        repeats(one.reason, "HTTP 403");
        assert.equal(one.say(1, answers(listed(0))), `--join=${clientUrl(0)}`);
    });

    it("do not count a pod that the StatefulSet does not have", () => {
        const one = discovery(2);
        one.say(1);
        assert.equal(one.say(2), undefined);
        repeats(one.reason, "2 replicas");
        assert.equal(one.say(0), form);
    });

    it("name members by their host across Kubernetes clusters, and use the scheme of TLS", () => {
        const one = discovery(1, { cluster: { ...cluster, scheme: "https", namedByHost: true } });
        const host = ask(0).host;
        assert.equal(one.say(0), `--initial-cluster=${host}=https://${host}:2380`);
    });

    it("never form a cluster that joins another, and use the addresses of an external PD", () => {
        const joining = discovery(1, { cluster: { ...cluster, joinsAnother: true } });
        assert.equal(joining.say(0), undefined);
        const first: PdAnswer = { kind: "members", own: false, members: [listed(7)] };
        assert.equal(joining.say(0, first), `--join=${clientUrl(7)}`);
        const elsewhere = discovery(2, { cluster: { ...cluster, pdAddresses: ["http://a:2379", "http://b:2379"] } });
        assert.equal(elsewhere.say(0), undefined);
        assert.equal(elsewhere.say(1), undefined);
        assert.equal(elsewhere.say(0), "--join=http://a:2379,http://b:2379");
    });
});
