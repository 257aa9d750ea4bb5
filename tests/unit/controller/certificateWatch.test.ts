import * as assert from "node:assert/strict";
import { CertificateWatch } from "../../../controller/certificateWatch";
import { controllerLog } from "../../../controller/controllerLog";
import { ControllerMetrics } from "../../../controller/controllerMetrics";
import { readClusterCertificates } from "../../../controller/readCertificates";
import type { CertificateFacts } from "../../../provider/lifecycle/diagnosis/facts";
import type { DiagnosisRequest } from "../../../provider/lifecycle/diagnosis/facts";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { pinnedWords } from "../../support/pinned";
import { healthy, now, statusOf } from "../status/seenCluster";
import { seriesOf } from "./seriesOf";

const name = { namespace: "tidb", cluster: "basic" };
const status = statusOf(healthy({}));
const day = 86_400_000;
const toldOf = async (metrics: ControllerMetrics) =>
    seriesOf(await metrics.text(), "pulumi_tidb_certificate_expires_timestamp_seconds");

const until = (secret: string, to: number): CertificateFacts => ({
    secret,
    pods: ["basic-pd-0"],
    certificate: known({ subject: "CN=PD", from: now - day, to }, "", now),
});
const forbidden = (secret: string): CertificateFacts => ({
    secret,
    pods: ["basic-pd-0"],
    certificate: notKnown(`read Secret ${secret}: 403`),
});

function watchOf(read: () => Promise<readonly CertificateFacts[]>) {
    let at = now;
    let reads = 0;
    const lines: string[] = [];
    const metrics = new ControllerMetrics(false);
    const watch = new CertificateWatch({
        read: () => {
            reads += 1;
            return read();
        },
        log: controllerLog(
            "text",
            (line) => lines.push(line.slice(line.indexOf(" ") + 1)),
            () => now,
        ),
        metrics,
        now: () => at,
        machineTime: () => at,
    });
    return {
        watch,
        lines,
        metrics,
        reads: () => reads,
        look: async (seconds: number) => {
            at = now + seconds * 1000;
            await watch.look(name, status);
        },
    };
}

describe("A watch of certificates", () => {
    it("tells Prometheus when each Secret's certificate expires, in seconds", async () => {
        const { look, metrics } = watchOf(() => Promise.resolve([until("basic-pd-cluster-secret", now + 90 * day)]));
        await look(0);
        assert.deepEqual(await toldOf(metrics), { 'secret="basic-pd-cluster-secret"': (now + 90 * day) / 1000 });
    });

    it("reads them every 5 minutes, although the cluster is looked at every 10 s", async () => {
        const { look, reads } = watchOf(() => Promise.resolve([]));
        for (let seconds = 0; seconds <= 600; seconds += 10) {
            await look(seconds);
        }
        assert.equal(reads(), 3);
    });

    it("says once what it may not read, and tells no number for it", async () => {
        const { look, lines, metrics } = watchOf(() => Promise.resolve([forbidden("basic-pd-cluster-secret")]));
        await look(0);
        await look(300);
        assert.deepEqual(
            lines.map((line) => line.includes("read Secret basic-pd-cluster-secret: 403")),
            [true],
        );
        assert.deepEqual(await toldOf(metrics), {});
    });

    it("takes a number back that it can no longer read, and those of Secrets that no pod mounts", async () => {
        const answers = [[until("one", now + day), until("two", now + day)], [forbidden("one")]];
        const { look, metrics } = watchOf(() => Promise.resolve(answers.shift() ?? []));
        await look(0);
        assert.deepEqual(Object.keys(await toldOf(metrics)), ['secret="one"', 'secret="two"']);
        await look(300);
        assert.deepEqual(await toldOf(metrics), {});
    });

    it("says which certificate expires soon, as diagnose does", async () => {
        const { look, lines } = watchOf(() => Promise.resolve([until("basic-pd-cluster-secret", now + 3 * day + 1)]));
        await look(0);
        assert.equal(lines.length, 1);
    });

    const told = (read: () => Promise<readonly CertificateFacts[]>) => async () => {
        const { look, lines } = watchOf(read);
        await look(0);
        return lines.join("\n");
    };
    pinnedWords("controller-certificates", {
        "a certificate may not be read": told(() => Promise.resolve([forbidden("basic-pd-cluster-secret")])),
        "a certificate expires soon": told(() =>
            Promise.resolve([until("basic-pd-cluster-secret", now + 3 * day + 1)]),
        ),
        "nothing can be read": told(() => Promise.reject(new Error("the API server does not answer"))),
    });

    it("forgets them while it does not lead, and reads them at once when it leads again", async () => {
        const { watch, look, metrics, reads } = watchOf(() => Promise.resolve([until("one", now + day)]));
        await look(0);
        watch.rest(name);
        assert.deepEqual(await toldOf(metrics), {});
        await look(10);
        assert.equal(reads(), 2);
    });

    it("never fails a look at a cluster", async () => {
        const { look, lines } = watchOf(() => Promise.reject(new Error("the API server does not answer")));
        await look(0);
        await look(300);
        assert.deepEqual(
            lines.map((line) => line.endsWith("the API server does not answer")),
            [true],
        );
    });

    it("reads one Ready pod of each member, and the certificate for clients if the cluster has TLS", async () => {
        const asked: DiagnosisRequest[] = [];
        const secrets: string[] = [];
        const api = (mounted: readonly CertificateFacts[]) => ({
            readDiagnosis: (_id: unknown, request: DiagnosisRequest) => {
                asked.push(request);
                return Promise.resolve({ pods: [], certificates: mounted, unread: [] });
            },
            readSecret: (_namespace: string, secret: string) => {
                secrets.push(secret);
                return Promise.resolve(undefined);
            },
        });
        assert.deepEqual(await readClusterCertificates(api([]), name, status, () => now), []);
        assert.deepEqual(
            asked[0].pods.map((pod) => pod.name),
            ["basic-pd-0", "basic-tikv-0", "basic-tidb-0"],
        );
        assert.deepEqual(secrets, [], "no Secret is read of a cluster without TLS");
        const mounted = [until("basic-pd-cluster-secret", now + day)];
        const found = await readClusterCertificates(api(mounted), name, status, () => now);
        assert.deepEqual(secrets, ["basic-cluster-client-secret"]);
        assert.deepEqual(
            found.map(({ secret }) => secret),
            ["basic-pd-cluster-secret", "basic-cluster-client-secret"],
        );
    });
});
