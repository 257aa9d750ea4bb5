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
        ["it has no peer URL", "basic-pd-3", [], "basic-pd-3"],
        ["its host is a pod without an ordinal", "", [host("basic-pd-x")], undefined],
        ["its name is not that of a PD pod", "basic-tikv-3", [], undefined],
        ["it has neither name nor peer URL", "", [], undefined],
    ] as const) {
        it(`is ${podName ?? "none of ours"} if ${title}`, () => assert.equal(peersAt(name, ...hosts), podName));
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
