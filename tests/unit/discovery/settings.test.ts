import assert from "node:assert/strict";
import { builtinModules } from "node:module";
import { discoveryServerEnvironment, discoveryServerFiles } from "../../../components/discovery/serverFiles";
import { ordinalsOf } from "../../../components/discovery/server/replicas";
import { readSettings } from "../../../components/discovery/server/settings";
import { askMembers, ownPdUrls, referencePdUrls } from "../../../components/discovery/server/pdMembers";
import { verifyAddress } from "../../../components/discovery/server/verify";

function settings(options: Parameters<typeof discoveryServerEnvironment>[0]) {
    const environment = Object.fromEntries(discoveryServerEnvironment(options).map(({ name, value }) => [name, value]));
    return readSettings({ ...environment, MY_POD_NAMESPACE: "tidb" });
}

describe("discovery's settings", () => {
    it("come from the environment that the manifest renders", () => {
        assert.deepEqual(discoveryServerEnvironment({ clusterName: "basic" }), [{ name: "TC_NAME", value: "basic" }]);
        const plain = settings({ clusterName: "basic" });
        assert.deepEqual(
            [plain.name, plain.namespace, plain.scheme, plain.hasPd, plain.namedByHost, plain.joinsAnother, plain.mtls],
            ["basic", "tidb", "http", true, false, false, false],
        );
        const all = settings({
            clusterName: "basic",
            tls: true,
            mtls: true,
            hasPd: false,
            clusterDomain: "one.example",
            acrossK8s: true,
            pdAddresses: ["http://a:2379", "http://b:2379"],
            referenceCluster: { name: "first", clusterDomain: "two.example" },
        });
        assert.equal(all.scheme, "https");
        assert.equal(all.namedByHost, true);
        assert.equal(all.mtls, true);
        assert.deepEqual(all.pdAddresses, ["http://a:2379", "http://b:2379"]);
        assert.deepEqual(all.reference, { name: "first", namespace: "tidb", domain: ".two.example" });
        assert.deepEqual(ownPdUrls(all, [0]), []);
        assert.deepEqual(referencePdUrls(all), ["https://first-pd-peer.tidb.svc.two.example:2379"]);
    });

    it("end in an error that names a missing variable", () => {
        assert.throws(() => readSettings({ TC_NAME: "basic" }), /MY_POD_NAMESPACE is not set/);
        assert.throws(() => readSettings({ MY_POD_NAMESPACE: "tidb" }), /TC_NAME is not set/);
    });

    it("find PD by its Service and by its members", () => {
        assert.deepEqual(ownPdUrls(settings({ clusterName: "basic" }), [0, 1]), [
            "http://basic-pd.tidb:2379",
            "http://basic-pd-0.basic-pd-peer.tidb.svc:2379",
            "http://basic-pd-1.basic-pd-peer.tidb.svc:2379",
        ]);
        const joining = settings({ clusterName: "second", referenceCluster: { name: "first", namespace: "other" } });
        assert.deepEqual(referencePdUrls(joining), ["http://first-pd.other:2379"]);
    });

    it("count the pods that a StatefulSet wants, and those that still exist", () => {
        assert.deepEqual(ordinalsOf({ spec: { replicas: 3 } }), [0, 1, 2]);
        assert.deepEqual(ordinalsOf({ spec: { replicas: 1 }, status: { replicas: 3 } }), [0, 1, 2]);
        assert.deepEqual(ordinalsOf({ spec: { replicas: 2, ordinals: { start: 5 } } }), [5, 6]);
        assert.deepEqual(ordinalsOf({}), [0]);
    });

    it("take PD's own error as proof of a PD, but not a service mesh's", async () => {
        const from = (status: number, body: string) =>
            askMembers(["http://x:2379"], true, async () => ({ status, body }));
        assert.equal((await from(500, '"[PD:apiutil:ErrRedirect]redirect failed"')).kind, "present");
        assert.equal((await from(503, "no healthy upstream")).kind, "none");
        assert.equal((await from(200, "<html>")).kind, "none");
        assert.equal((await from(200, '{"members":[]}')).kind, "none");
        assert.equal((await from(200, '{"members":[{"name":"a"}]}')).kind, "members");
    });

    it("add healthy members elsewhere to an address, with or without a scheme as given", async () => {
        const across = settings({ clusterName: "basic", acrossK8s: true, clusterDomain: "one.example" });
        const member = (name: string, host: string) => ({ name, client_urls: [`http://${host}:2379`], peer_urls: [] });
        const members = [
            member("own", "basic-pd-0.basic-pd-peer.tidb.svc.one.example"),
            member("far", "basic-pd-0.basic-pd-peer.tidb.svc.two.example"),
            member("dead", "basic-pd-1.basic-pd-peer.tidb.svc.two.example"),
        ];
        const health = members.map(({ name }) => ({ name, health: name !== "dead" }));
        const get = async (url: string) => ({
            status: 200,
            body: JSON.stringify(url.endsWith("/health") ? health : { members }),
        });
        const far = "basic-pd-0.basic-pd-peer.tidb.svc.two.example:2379";
        const answer = (address: string) => verifyAddress(address, across, ["http://x:2379"], get);
        assert.deepEqual(await answer("http://basic-pd:2379"), { address: `http://basic-pd:2379,http://${far}` });
        assert.deepEqual(await answer("basic-pd:2379"), { address: `basic-pd:2379,${far}` });
        const failed = await verifyAddress("basic-pd:2379", across, ["http://x:2379"], () =>
            Promise.reject(new Error("no")),
        );
        assert.deepEqual(failed, { address: "basic-pd:2379", problem: "could not read PD's members: no" });
    });

    it("give the other cluster's PD if there is no local one", async () => {
        const joining = settings({
            clusterName: "second",
            hasPd: false,
            acrossK8s: true,
            referenceCluster: { name: "first", namespace: "other", clusterDomain: "one.example" },
        });
        const { address } = await verifyAddress("https://second-pd:2379", joining, [], () =>
            Promise.reject(new Error()),
        );
        assert.equal(address, "https://first-pd-peer.other.svc.one.example:2379");
    });
});

describe("the files of discovery's server", () => {
    const files = discoveryServerFiles();
    it("are JavaScript that needs only Node and each other", () => {
        assert.ok("main.js" in files, Object.keys(files).join());
        for (const [name, text] of Object.entries(files)) {
            for (const [, needed] of text.matchAll(/require\("([^"]+)"\)/g)) {
                const isOwn = needed.startsWith("./") && `${needed.slice(2)}.js` in files;
                assert.ok(isOwn || builtinModules.includes(needed.replace(/^node:/, "")), `${name} needs ${needed}`);
            }
            assert.doesNotMatch(text, /sourceMappingURL|^import |^export /m);
            assert.match(name, /^[-._a-zA-Z0-9]+$/, "a ConfigMap's key");
        }
    });

    it("fit into a ConfigMap many times over", () => {
        assert.ok(JSON.stringify(files).length < 100_000);
    });
});
