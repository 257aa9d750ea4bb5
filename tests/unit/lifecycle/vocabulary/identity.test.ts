import * as assert from "node:assert/strict";
import { podOfHost, podOfMemberName } from "../../../../provider/lifecycle/vocabulary/identity";

const here = { namespace: "tidb" };
const far = { namespace: "tidb", domain: "cluster.one" };
const service = "basic-tikv-peer";

describe("a host is the pod's", () => {
    const cases: [host: string, identity: typeof here & { domain?: string }, pod: string | undefined, why: string][] = [
        ["basic-tikv-0.basic-tikv-peer.tidb.svc", here, "basic-tikv-0", "of this cluster"],
        ["basic-tikv-0.basic-tikv-peer.tidb.svc.cluster.one", far, "basic-tikv-0", "of this cluster, with its domain"],
        ["basic-tikv-0.basic-tikv-peer.tidb.svc", far, "basic-tikv-0", "that registered before the domain was set"],
        ["basic-tikv-0.basic-tikv-peer.tidb.svc.cluster.two", far, undefined, "not in another Kubernetes cluster"],
        [
            "basic-tikv-0.basic-tikv-peer.tidb.svc.cluster.one",
            here,
            undefined,
            "not in one that has a domain, where we have none",
        ],
        ["basic-tikv-0.other-tikv-peer.tidb.svc", here, undefined, "not behind another service"],
        ["basic-tikv-0.basic-tikv-peer.shop.svc", here, undefined, "not in another namespace"],
        ["basic-tikv-0.basic-tikv-peer.tidb.pod", here, undefined, "not under a name that is no service's"],
        ["basic-tikv-0.basic-tikv-peer.tidb", here, undefined, "not under a name that is cut off"],
        ["10.0.0.7", here, undefined, "not under an address without a name"],
    ];
    for (const [host, identity, pod, why] of cases) {
        it(`${why}: ${host}`, () => assert.equal(podOfHost(host, service, identity), pod));
    }
});

describe("a member of PD is the pod's", () => {
    const of = (name: string) => podOfMemberName(name, "basic-pd-peer", far);
    it("by the pod's own name, or by its full domain name across Kubernetes clusters", () => {
        assert.equal(of("basic-pd-0"), "basic-pd-0");
        assert.equal(of("basic-pd-0.basic-pd-peer.tidb.svc.cluster.one"), "basic-pd-0");
        assert.equal(of("basic-pd-0.basic-pd-peer.tidb.svc.cluster.two"), undefined);
    });
    it("not where it has no name", () => assert.equal(of(""), undefined));
});
