import assert from "node:assert/strict";
import { readRequest, type DiscoveryRequest } from "../../../components/discovery/server/request";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const read = (path: string, method = "GET") => readRequest(method, path, "basic", "tidb");
const pod = "basic-pd-2.basic-pd-peer.tidb.svc";

function refusal(request: DiscoveryRequest): string {
    return request.kind === "refused" ? `${request.status} ${request.message}` : request.kind;
}

describe("requests to discovery", () => {
    it("to /new may have the line end that echo adds, the type pd, and a cluster domain", () => {
        for (const path of [
            `/new/${base64(`${pod}:2380`)}`,
            `/new/${base64(`${pod}:2380\n`)}`,
            `/new/${base64(`${pod}:2380`)}/pd`,
        ]) {
            assert.deepEqual(
                read(path),
                { kind: "new", request: { member: "basic-pd-2", ordinal: 2, host: pod } },
                path,
            );
        }
        const host = `${pod}.one.example`;
        const asked = read(`/new/${encodeURIComponent(base64(`${host}:2380`))}`);
        assert.deepEqual(asked, { kind: "new", request: { member: "basic-pd-2", ordinal: 2, host } });
    });

    it("to /verify may have a scheme and a port; /healthz is also known", () => {
        for (const address of ["basic-pd:2379", "https://basic-pd:2379", "basic-pd", "http://basic-pd.tidb:2379"]) {
            assert.deepEqual(read(`/verify/${base64(address)}`), { kind: "verify", url: address });
        }
        assert.deepEqual(read("/healthz"), { kind: "health" });
    });

    const refused: [string, string, RegExp][] = [
        [
            "another namespace",
            "/new/" + base64("basic-pd-0.basic-pd-peer.other.svc:2380"),
            /^400 .*namespace other.*serves tidb/,
        ],
        [
            "another cluster",
            "/new/" + base64("b-pd-0.b-pd-peer.tidb.svc:2380"),
            /^400 .*b-pd-peer.*serves basic-pd-peer/,
        ],
        [
            "another member",
            "/new/" + base64("basic-tikv-0.basic-pd-peer.tidb.svc:2380"),
            /^400 .*not a PD pod of basic/,
        ],
        ["no ordinal", "/new/" + base64("basic-pd-x.basic-pd-peer.tidb.svc:2380"), /^400 .*not a PD pod of basic/],
        [
            "too few labels",
            "/new/" + base64("basic-pd-0.basic-pd-peer.tidb:2380"),
            /^400 .*expected one like basic-pd-0/,
        ],
        ["another port", "/new/" + base64(`${pod}:2379`), /^400 .*expected one like/],
        ["no port", "/new/" + base64(pod), /^400 .*expected one like/],
        ["text that is not a DNS name", "/new/" + base64(`${pod.toUpperCase()}:2380`), /^400 /],
        ["a shell command", "/new/" + base64(`$(id).basic-pd-peer.tidb.svc:2380`), /^400 /],
        ["bytes", "/new/" + Buffer.from([0, 255, 7]).toString("base64"), /^400 .*not the base64/],
        ["malformed base64", "/new/abc", /^400 "abc" is not the base64/],
        ["malformed escapes", "/new/%E0%A4%A", /^400 .*not the base64/],
        ["nothing", "/new/", /^400 "" is not the base64/],
        ["DM", `/new/${base64("dm-0.dm-dm-master-peer:8291")}/dm`, /^400 member type "dm".*pd only/],
        ["an address of something else", `/verify/${base64("http://other-pd:2379")}`, /^400 other-pd is not PD/],
        ["an invalid address", `/verify/${base64("http://a b")}`, /^400 /],
        ["another path", "/", /^404 .*expected \/new\//],
        ["a path too long", `/new/${base64(`${pod}:2380`)}/pd/more`, /^404 /],
        ["no argument", "/new", /^404 /],
    ];
    for (const [title, path, message] of refused) {
        it(`are refused with ${title}`, () => assert.match(refusal(read(path)), message));
    }

    it("are refused with other methods", () => {
        assert.match(refusal(read(`/new/${base64(`${pod}:2380`)}`, "POST")), /^405 /);
        assert.match(refusal(read("/healthz", "DELETE")), /^405 /);
    });
});
