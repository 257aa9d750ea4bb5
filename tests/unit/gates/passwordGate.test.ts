import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { KubernetesApi, SecretObject } from "../../../provider/cluster/kubernetesApi";
import { RootPassword } from "../../../provider/cluster/rootPassword";
import { SqlLogin } from "../../../provider/cluster/sqlLogin";
import { createGate } from "../../../provider/gates/gate";
import { passwordGateDefinition } from "../../../provider/gates/passwordGate";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { noRecords, unknownPd } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { systemClock } from "../../../sandbox/dataPlane/clock";
import { allowed } from "../../support/cluster/podCallsOf";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";
import { type SqlListener, startSqlListener } from "../../../sandbox/dataPlane/sqlListener";
import { observed } from "../../support/lifecycle/observations";
import { watchLocks } from "./clusterWorld";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { grantedAccess } from "../../support/gates/grantedAccess";
import { ofCluster, worldOf } from "../../support/gates/worldOf";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";
import { refusedAt } from "../../support/gates/refusedAt";

const told = (more: object = {}): Record<string, unknown> => ({
    ...ofCluster,
    policy: { ...defaultPolicy, podReadyTimeoutSeconds: 20 },
    hasServers: true,
    gate: "password",
    statusUrn: "urn",
    ...more,
});
const outsOf = (inputs: Record<string, unknown>) => ({ ...inputs, replicas: 0, plan: [], deferred: "" });

describe("the PasswordGate", () => {
    const { state, cluster } = settledCluster({ tidb: 1 });
    let listener: SqlListener;
    let secret: SecretObject | undefined;
    /** What was asked of Kubernetes and done, in order; and every word that was said. */
    let calls: string[];
    let said: string[];
    let killedAfter: Action["do"] | undefined;
    let isSilent: boolean;

    before(async () => {
        listener = await startSqlListener(state, "basic-tidb-0", systemClock);
    });
    after(() => listener.close());
    beforeEach(() => {
        cluster.setRootPassword("");
        state.faults.tidb = {};
        sqlTimeout = 10_000;
        [secret, calls, said, killedAfter, isSilent] = [undefined, [], [], undefined, false];
    });

    const api = {
        readSecretObject: (_namespace: string, name: string) => {
            calls.push(`read ${name}`);
            return isSilent
                ? Promise.reject(new KubernetesApiError("the API server did not read the Secret", undefined))
                : Promise.resolve(secret && structuredClone(secret));
        },
        guardedBy: (assertAllowed: () => void) =>
            ({
                createSecret: (_namespace: string, _name: string, _labels: object, data: Record<string, string>) => {
                    assertAllowed();
                    secret ??= { data, annotations: {} };
                    return Promise.resolve();
                },
                annotateSecret: (_namespace: string, _name: string, annotations: Record<string, string>) => {
                    assertAllowed();
                    secret = { data: {}, ...secret, annotations };
                    return Promise.resolve();
                },
            }) as KubernetesApi,
    };
    const forward = () => Promise.resolve({ port: listener.port, trouble: undefined, close: () => undefined });
    /** For as long as a busy machine may take to answer, or as a test has the time to wait for none. */
    let sqlTimeout: number;
    const passwordOf = () => {
        const sql = new SqlLogin({ to: forward, keepOnly: () => undefined }, sqlTimeout);
        return new RootPassword(api, { namespace: "tidb", cluster: "basic", instance: "basic" }, sql);
    };

    function world(): GateWorld {
        let time = 0;
        const password = passwordOf();
        const perform = async (action: Action): Promise<void> => {
            calls.push(action.do);
            if (action.do === "make-password-secret") {
                await password.makeSecret(allowed);
            } else if (action.do === "set-password") {
                await password.set({ name: action.pod, uid: action.uid }, allowed);
            } else if (action.do === "note-password") {
                await password.note(action.how, new Date(), allowed);
            }
            if (killedAfter === action.do) {
                throw new Error("killed");
            }
        };
        const lock = {
            confirmHeld: () => Promise.resolve(),
            describe: () => undefined,
            keepRecords: () => Promise.resolve(),
            noteOwner: () => Promise.resolve(),
            noteMembers: () => Promise.resolve(),
            takeConsent: () => Promise.reject(new Error("this gate needs no consent")),
            release: () => Promise.resolve(),
        };
        const say = (message: string) => said.push(message);
        const { observation } = observed("tidb", { replicas: 1 });
        const ports: GatePorts = {
            now: () => time,
            sleep: (milliseconds) => Promise.resolve(void (time += milliseconds)),
            lease: () => Promise.resolve({ uid: "lease-1", resourceVersion: "1", lock: {}, records: noRecords() }),
            look: async ({ asks, pd }) => {
                assert.deepEqual(pd, [], "PD is not asked");
                const pods = asks?.includes("root-login") ? (observation.members.tidb?.pods ?? []) : undefined;
                return { ...observation, pd: unknownPd(), now: time, rootPassword: await password.observe(pods) };
            },
            perform,
            tryLock: () => Promise.resolve({ lock }),
            noteApprovalWait: () => Promise.reject(new Error("this gate needs no consent")),
            noteFirstRevision: () => Promise.reject(new Error("this gate needs no consent")),
            notePause: () => Promise.reject(new Error("this gate pauses nothing")),
            access: grantedAccess,
            journal: noJournal,
            progress: { info: say, status: say, note: say, warn: ({ message }) => say(`warning: ${message}`) },
        };
        return worldOf(ports);
    }
    const gate = () => createGate(passwordGateDefinition, world());
    const actions = () => calls.filter((call) => !call.startsWith("read"));
    const warnings = () => said.filter((one) => one.startsWith("warning"));
    const root = () => secret?.data.root ?? "";
    const note = () => secret?.annotations["pulumi-tidb.io/root-password"] ?? "";

    it("creates the Secret, sets its password, notes that, and never prints it", async () => {
        const { inputs } = await gate().check({}, told());
        assert.deepEqual(inputs.plan, [
            "create Secret basic-init with a random password",
            "set the password in Secret basic-init for root, unless root has a different one",
        ]);
        const { outs } = await gate().create(inputs);
        assert.deepEqual(actions(), ["make-password-secret", "set-password", "note-password"]);
        assert.match(root(), /^[\w-]{13,}$/);
        assert.equal(cluster.rootPassword(), root());
        assert.match(note(), /^set 20\d\d-/);
        assert.deepEqual(warnings(), []);
        assert.ok(!JSON.stringify([said, outs]).includes(root()));
        assert.ok(said.includes("create Secret basic-init with a random password"));
    });

    it("then has nothing to do, which it sees in one read of the Secret", async () => {
        await gate().create(told());
        calls = [];
        const { inputs } = await gate().check(outsOf(told()), told());
        assert.deepEqual([inputs.plan, inputs.deferred, calls], [[], "", ["read basic-init"]]);
        assert.deepEqual(await gate().diff("", outsOf(told()), inputs), { changes: false });
    });

    for (const kill of ["make-password-secret", "set-password", "note-password"] as const) {
        it(`is finished by the next run with the same password if it was killed after ${kill}`, async () => {
            killedAfter = kill;
            await assert.rejects(gate().create(told()), /killed/);
            const before = root();
            killedAfter = undefined;
            const { inputs } = await gate().check({}, told());
            assert.equal((inputs.plan as string[]).length, kill === "note-password" ? 0 : 1);
            await gate().create(inputs);
            assert.equal(root(), before);
            assert.equal(cluster.rootPassword(), before);
            assert.match(note(), /^set /);
            assert.equal(new Set(actions()).size, actions().length, `nothing is done twice: ${actions().join()}`);
        });
    }

    it("leaves a root with another password alone, and warns with the name of the Secret", async () => {
        cluster.setRootPassword("chosen");
        await gate().create(told());
        assert.equal(cluster.rootPassword(), "chosen");
        assert.equal(warnings().length, 1);
        repeats(warnings()[0], "spec.tidb.initializer.createPassword", "Secret tidb/basic-init");
        assert.match(note(), /^left-alone /);
        const { inputs } = await gate().check(outsOf(told()), told());
        assert.deepEqual(inputs.plan, []);
    });

    it("uses the password of an existing Secret and does not overwrite it", async () => {
        secret = { data: { root: 'it\'s "mine"' }, annotations: {} };
        await assert.rejects(gate().update("", {}, told()), (error: Error) => {
            // The played TiDB repeats a statement that it cannot read, as a real one does.
            repeats(error.message, "basic-tidb", "SQL port 4000", "IDENTIFIED BY '***'");
            assert.ok(!JSON.stringify([said, error.message, error.stack]).includes("mine"));
            assert.equal((error.cause as Error & { sql?: string }).sql, undefined);
            return true;
        });
        secret = { data: { root: "chosen-1" }, annotations: {} };
        await gate().update("", {}, told());
        assert.deepEqual([cluster.rootPassword(), root()], ["chosen-1", "chosen-1"]);
    });

    it("gives a new cluster the password of a Secret that an earlier one left behind", async () => {
        secret = { data: { root: "left-behind" }, annotations: { "pulumi-tidb.io/root-password": "set 2020-01-01" } };
        await gate().create(told());
        assert.equal(cluster.rootPassword(), "left-behind");
    });

    it("refuses a Secret without a password in the preview, and names the field", async () => {
        secret = { data: { other: "x" }, annotations: {} };
        const { refused } = await gate().planOf({}, told());
        assert.deepEqual(refusedAt(refused), ["spec.tidb.initializer.createPassword"]);
        repeats(refused?.[0].reason, "Secret basic-init");
    });

    it("ends with an error that names the pod, what was seen and what to do if TiDB is silent", async () => {
        state.faults.tidb["basic-tidb-0"] = { sqlUnresponsive: true };
        sqlTimeout = 50;
        const impatient = told({ policy: { ...defaultPolicy, podReadyTimeoutSeconds: 0 } });
        await failsWith(gate().create(impatient), "root-login", {
            target: "basic-tidb",
            names: "basic-tidb-0 cannot be asked: SQL port 4000: no answer within 0.05 s",
        });
        assert.equal(cluster.rootPassword(), "");
    });

    it("defers if the cluster cannot be asked, and warns if nothing changed", async () => {
        isSilent = true;
        const { inputs } = await gate().check({}, told());
        assert.deepEqual([inputs.plan, inputs.deferred], [[], "deferred: the API server did not read the Secret"]);
        const again = await gate().check(outsOf(told()), told());
        assert.deepEqual([again.inputs.plan, again.inputs.deferred], [[], ""]);
        repeats(warnings()[0], "the API server did not read the Secret");
    });

    it("does nothing in a paused cluster or without a server", async () => {
        const paused = await gate().check(outsOf(told()), told({ paused: true }));
        assert.deepEqual(paused.inputs.plan, []);
        repeats(warnings()[0], "spec.paused");
        const { inputs } = await gate().check({}, told({ hasServers: false }));
        await gate().create(inputs);
        assert.deepEqual([inputs.plan, secret], [[], undefined]);
    });

    it("does not warn if there was nothing to do", async () => {
        await gate().create(told());
        said = [];
        await gate().update("", {}, told());
        assert.deepEqual(warnings(), []);
    });

    it("plans nothing for a Secret without a password that has a note, and gives it no password", async () => {
        secret = { data: {}, annotations: { "pulumi-tidb.io/root-password": "set 2020-01-01" } };
        const { inputs, failures } = await gate().check({}, told());
        assert.deepEqual([inputs.plan, failures], [[], undefined]);
    });

    it("has no step in a preview that it refuses", async () => {
        secret = { data: {}, annotations: {} };
        const { inputs, failures } = await gate().check({}, told());
        assert.deepEqual([inputs.plan, failures?.length], [[], 1]);
    });

    it("takes the lock with a purpose that names what it does", async () => {
        const place = world();
        const locked = watchLocks(place);
        await createGate(passwordGateDefinition, place).create(told());
        assert.deepEqual(locked, ["set root's password in basic"]);
    });
});
