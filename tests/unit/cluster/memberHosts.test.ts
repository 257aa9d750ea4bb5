import * as assert from "node:assert/strict";
import { hostOf, observeMember } from "../../../provider/cluster/observeStores";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const host = (pod: string) => `${pod}.basic-pd-peer.tidb.svc`;

describe("the pod of a PD member, by its name and its peer URLs", () => {
    const peersAt = (name: string, ...hosts: string[]) => {
        const peerUrls = hosts.map((one) => `http://${one}:2380`);
        return observeMember({ name, memberId: "1", peerUrls, clientUrls: [] }, [], id).podName;
    };
    for (const [title, name, hosts, podName] of [
        ["its second peer URL is ours", "", ["10.0.0.7", host("basic-pd-3")], "basic-pd-3"],
        [
            "one of its peer URLs is ours, and another elsewhere",
            "basic-pd-3",
            [host("basic-pd-3"), "basic-pd-3.basic-pd-peer.other.svc"],
            "basic-pd-3",
        ],
        [
            "one of its peer URLs is elsewhere, and another an IP address",
            "basic-pd-3",
            ["10.0.0.7", "basic-pd-3.basic-pd-peer.other.svc"],
            undefined,
        ],
        ["its peer URL is an IP address, which says nothing", "basic-pd-3", ["10.0.0.7"], "basic-pd-3"],
        ["its peer URL is not the name of a Service", "basic-pd-3", ["pd.example.org.uk"], "basic-pd-3"],
        ["its name and its peer URL belong to different pods", "basic-pd-3", [host("basic-pd-4")], "basic-pd-3"],
        ["its peer URLs were not asked for: it may be a twin elsewhere", "basic-pd-3", [], undefined],
        ["its peer URLs were not asked for, and its name is ours", host("basic-pd-3"), [], undefined],
        ["its host is a pod without an ordinal", "", [host("basic-pd-x")], undefined],
        ["its name is not that of a PD pod", "basic-tikv-3", [], undefined],
        ["it has neither name nor peer URL", "", [], undefined],
    ] as const) {
        it(`is ${podName ?? "none of ours"} if ${title}`, () => assert.equal(peersAt(name, ...hosts), podName));
    }

    /** What is known of a member that is in no pod of ours. */
    const foreign = (domain: string | undefined, name: string, ...hosts: string[]) => {
        const peerUrls = hosts.map((one) => `http://${one}:2380`);
        const one = { name, memberId: "1", peerUrls, clientUrls: [] };
        const { podName, otherDomain, isElsewhere } = observeMember(one, [], { ...id, domain });
        return podName ?? otherDomain ?? (isElsewhere ? "elsewhere" : "unknown");
    };
    const pd3 = (domain: string) => ({ podName: "basic-pd-3", domain });
    const old = `${host("basic-pd-3")}.old.example`;
    for (const [title, domain, name, hosts, expected] of [
        ["a domain that the cluster no longer has", undefined, old, [old], pd3("old.example")],
        ["another domain than the cluster has now", "new.example", old, [old], pd3("old.example")],
        ["the domain that the cluster has", "old.example", old, [old], "basic-pd-3"],
        ["no domain, though the cluster has one now", "new.example", "basic-pd-3", [host("basic-pd-3")], "basic-pd-3"],
        ["a short name, and another domain in its peer URL", undefined, "basic-pd-3", [old], pd3("old.example")],
        ["no name yet, and another domain in its peer URL", undefined, "", [old], pd3("old.example")],
        ["another domain in its second peer URL", undefined, "basic-pd-3", ["10.0.0.7", old], pd3("old.example")],
        ["the name of another cluster", undefined, "more-pd-3", ["more-pd-3.more-pd-peer.tidb.svc"], "elsewhere"],
        ["another namespace", undefined, "basic-pd-3", ["basic-pd-3.basic-pd-peer.other.svc"], "elsewhere"],
        [
            "another namespace and domain",
            undefined,
            "basic-pd-3",
            ["basic-pd-3.basic-pd-peer.other.svc.old.example"],
            "elsewhere",
        ],
        ["a name and a host that are not a pod's, as on a machine", undefined, "recovered", ["10.0.0.7"], "elsewhere"],
        ["neither name nor peer URL", undefined, "", [], "unknown"],
        ["peer URLs that were not asked for", undefined, "basic-pd-3", [], "unknown"],
        ["peer URLs that were not asked for, and a full name", undefined, old, [], pd3("old.example")],
    ] as const) {
        const found = typeof expected === "string" ? expected : `${expected.podName} under ${expected.domain}`;
        it(`of one with ${title}: ${found}`, () => assert.deepEqual(foreign(domain, name, ...hosts), expected));
    }

    for (const [address, expected] of [
        ["basic-pd-0.basic-pd-peer:2380", "basic-pd-0.basic-pd-peer"],
        ["https://basic-pd-0.basic-pd-peer:2380", "basic-pd-0.basic-pd-peer"],
        ["http://basic-pd-0/pd/api?x=1:2", "basic-pd-0"],
        ["basic-pd-0:2380#here", "basic-pd-0"],
        ["basic-pd-0?a", "basic-pd-0"],
        ["basic-pd-0", "basic-pd-0"],
        ["10.0.0.7:20160", "10.0.0.7"],
        ["[fd00:10:244::7]:20160", "[fd00:10:244::7]"],
    ] as const) {
        it(`has the host ${expected} for ${address}`, () => assert.equal(hostOf(address), expected));
    }
});
