import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import { rememberUnreachable, ReportedUnreachable, type Unreachable } from "../../../provider/gates/unreachable";
import { nothingObserved, unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import { repeats } from "../../support/repeats";

const everything: LookOptions = { components: ["pd"], pd: ["health"], status: [] };

/** Ports of a cluster of which somebody gives no answer, and a count of how often each was asked. */
function silentPorts(silent: { kubernetes?: number | "no answer"; pd?: boolean }) {
    const asked = { kubernetes: 0, pd: 0 };
    const clock = { now: 1_700_000_000_000 };
    const ports: Partial<GatePorts> = {
        now: () => clock.now,
        lease: () => {
            asked.kubernetes += 1;
            const status = silent.kubernetes === "no answer" ? undefined : silent.kubernetes;
            return silent.kubernetes === undefined
                ? Promise.resolve(undefined)
                : Promise.reject(new KubernetesApiError("the API server did not answer", status));
        },
        look: (options) => {
            asked.pd += options.pd.length > 0 ? 1 : 0;
            const isSilent = silent.pd && options.pd.length > 0;
            const seen = nothingObserved("demo", clock.now);
            return Promise.resolve(isSilent ? { ...seen, ...unreachablePd("PD cannot be reached") } : seen);
        },
    };
    return { ports: ports as GatePorts, asked, clock, silent };
}

describe("checks of a cluster with a silent API server or PD", () => {
    it("ask a silent API server once, and again after half a minute", async () => {
        const { ports, asked, clock, silent } = silentPorts({ kubernetes: "no answer" });
        const unreachable: Unreachable = {};
        for (let gate = 0; gate < 7; gate++) {
            await assert.rejects(rememberUnreachable(ports, unreachable, "urn").lease(), /did not answer/);
        }
        assert.equal(asked.kubernetes, 1);
        await assert.rejects(rememberUnreachable(ports, unreachable, "urn").look(everything), /did not answer/);
        clock.now += 30_000;
        delete silent.kubernetes;
        assert.equal(await rememberUnreachable(ports, unreachable, "urn").lease(), undefined);
    });

    it("give the error to the gate that met it first, and tell the others where to read it", async () => {
        const { ports } = silentPorts({ kubernetes: "no answer" });
        const unreachable: Unreachable = {};
        const ask = (gate: string) => rememberUnreachable(ports, unreachable, `urn:pulumi:dev::shop::a$b::${gate}`);
        for (let look = 0; look < 2; look++) {
            await assert.rejects(ask("basic-cluster").lease(), { message: "the API server did not answer" });
            await assert.rejects(ask("basic-pd-scale").lease(), (error) => {
                assert.ok(error instanceof ReportedUnreachable);
                repeats(error.message, "basic-cluster");
                return true;
            });
        }
    });

    it("know of the silence without asking, as long as it is remembered", async () => {
        const { ports, asked, clock } = silentPorts({ kubernetes: "no answer" });
        const remembered = rememberUnreachable(ports, {}, "urn:pulumi:dev::shop::a$b::basic-cluster");
        assert.equal(remembered.silence?.(), undefined);
        await assert.rejects(remembered.lease());
        repeats(remembered.silence?.()?.message, "basic-cluster");
        clock.now += 30_000;
        assert.deepEqual([remembered.silence?.(), asked.kubernetes], [undefined, 1]);
    });

    it("ask once, too, whose login the API server does not accept: each call would end so", async () => {
        const { ports, asked } = silentPorts({ kubernetes: 401 });
        const unreachable: Unreachable = {};
        const ask = (gate: string) => rememberUnreachable(ports, unreachable, `urn:pulumi:dev::shop::a$b::${gate}`);
        await assert.rejects(ask("basic-cluster").lease(), { status: 401 });
        await assert.rejects(ask("basic-pd-scale").lease(), {
            message: "the API server does not accept the login: see the warning of basic-cluster",
        });
        assert.equal(asked.kubernetes, 1);
    });

    it("do not remember that what only words depend on was not answered: the next question is asked", async () => {
        const { ports, clock } = silentPorts({});
        const unreachable: Unreachable = {};
        const silent = new KubernetesApiError("no answer within 8 s", undefined);
        const look: GatePorts["look"] = ({ isForWords }) =>
            isForWords ? Promise.reject(silent) : Promise.resolve(nothingObserved("demo", clock.now));
        const remembered = rememberUnreachable({ ...ports, look }, unreachable, "urn");
        await assert.rejects(remembered.look({ ...everything, isForWords: true }), silent);
        assert.equal((await remembered.look(everything)).cluster, "demo");
        assert.deepEqual(unreachable, {});
    });

    it("ask an API server every time if it refuses, because that takes no time", async () => {
        const { ports, asked } = silentPorts({ kubernetes: 403 });
        const unreachable: Unreachable = {};
        await assert.rejects(rememberUnreachable(ports, unreachable, "urn").lease());
        await assert.rejects(rememberUnreachable(ports, unreachable, "urn").lease());
        assert.equal(asked.kubernetes, 2);
    });

    it("ask a silent PD once, and still read Kubernetes", async () => {
        const { ports, asked } = silentPorts({ pd: true });
        const unreachable: Unreachable = {};
        for (let gate = 0; gate < 3; gate++) {
            const observation = await rememberUnreachable(ports, unreachable, "urn").look(everything);
            assert.equal(observation.pdTrouble?.why, "PD cannot be reached");
        }
        assert.equal(asked.pd, 1);
        const withoutPd = await rememberUnreachable(ports, unreachable, "urn").look({ ...everything, pd: [] });
        assert.equal(withoutPd.pdTrouble, undefined);
    });

    it("ask PD every time if it answers", async () => {
        const { ports, asked } = silentPorts({});
        const unreachable: Unreachable = {};
        await rememberUnreachable(ports, unreachable, "urn").look(everything);
        const { pdTrouble } = await rememberUnreachable(ports, unreachable, "urn").look(everything);
        assert.deepEqual([asked.pd, pdTrouble], [2, undefined]);
    });

    it("ask again after half a minute, not sooner", async () => {
        const { ports, asked, clock } = silentPorts({ pd: true });
        const unreachable: Unreachable = {};
        const counts: number[] = [];
        for (const milliseconds of [0, 29_999, 1, 29_999]) {
            clock.now += milliseconds;
            await rememberUnreachable(ports, unreachable, "urn").look(everything);
            counts.push(asked.pd);
        }
        assert.deepEqual(counts, [1, 1, 2, 2]);
    });
});
