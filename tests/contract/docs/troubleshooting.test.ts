import * as assert from "node:assert/strict";
import { join } from "node:path";
import { KubernetesApiError, withErrorContext } from "../../../provider/cluster/apiCall";
import { CredentialError, credentialTimeoutMilliseconds, tryByHand } from "../../../provider/cluster/credentials";
import { HttpError } from "../../../provider/http/httpError";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { beforeClusterIsDeleted } from "../../../provider/gates/destroy";
import { createGate } from "../../../provider/gates/gate";
import type { CommonInputs, GateDefinition } from "../../../provider/gates/gateDefinition";
import { GateError } from "../../../provider/gates/gateError";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import type { ClusterProgramInputs } from "../../../provider/gates/inputs";
import { compareInUpdate } from "../../../provider/gates/compareWithLive";
import { checkPrerequisites } from "../../../provider/gates/prerequisites";
import { refusedNotes } from "../../../provider/gates/refusedNotes";
import { assertSameCluster } from "../../../provider/gates/sameCluster";
import { versionChanges } from "../../../provider/lifecycle/prerequisites/downgrade";
import { leftClaims } from "../../../provider/lifecycle/prerequisites/leftClaims";
import { missingSecrets } from "../../../provider/lifecycle/prerequisites/missingSecrets";
import { judgeNamespace, namespaceOfProgram } from "../../../provider/lifecycle/prerequisites/namespace";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ContainerState, ObservedMember, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { type Notice, notices } from "../../../provider/lifecycle/vocabulary/notices";
import { conditions, failures } from "../../../provider/lifecycle/vocabulary/problemCodes";
import { type Refusal, refuseOwner } from "../../../provider/lifecycle/vocabulary/ownership";
import { type Permission, permissionsOf } from "../../../topology/permissions";
import { claimOf } from "../../support/lifecycle/observations";
import { codeBlocks, pageAt } from "./pages";

const page = pageAt(join("docs", "troubleshooting.md"));
const quoted = codeBlocks(page).flatMap(({ code }) => code.trim().split("\n"));

const owner = {
    stack: "organization/shop/dev",
    urn: "urn:pulumi:dev::shop::tidb:index:TidbCluster::mine",
    name: "mine",
    namespace: "tidb",
};
const deleted = {
    cluster: "mine",
    namespace: "tidb",
    leaseUid: "7e21",
    owner,
    statusUrn: "urn:pulumi:dev::shop::tidb:index:TidbCluster$pulumi-nodejs:tidb:ReadyGate::mine-ready",
};
type Inputs = Parameters<typeof assertSameCluster>[0];
type Lease = Parameters<typeof assertSameCluster>[1];

function messageOf(call: () => unknown): string {
    try {
        call();
    } catch (error) {
        return (error as Error).message;
    }
    return assert.fail("no error");
}

/** What a call to an API server ends in that does not answer in time. */
async function unreachable(
    why: Error = new HttpError("no answer within 8000 ms", { sent: true, isTimeout: true }),
): Promise<KubernetesApiError> {
    const read = withErrorContext("https://10.0.0.1:6443", "read Lease mine-pulumi-tidb", () => Promise.reject(why));
    return read.then(
        () => assert.fail("no error"),
        (error: unknown) => error as KubernetesApiError,
    );
}

const shown = ({ property, reason }: Refusal) => `${property}: ${reason}`;

/** Asks for an update of the cluster whose API server reviews permissions like this. @returns what is refused, and the warnings. */
async function permissionsReviewed(denied: Permission[], notKnown?: string, mayGrant = false): Promise<string[]> {
    const ports = {
        lease: () => Promise.resolve(undefined),
        look: () => Promise.resolve({ members: {} }),
        access: {
            namespaceState: () => Promise.resolve("active"),
            review: () => Promise.resolve({ user: "user ana", denied, notKnown }),
        },
    };
    const world = { open: () => Promise.resolve(ports) } as unknown as GateWorld;
    const prerequisites = {
        members: {},
        objects: "",
        namespaceMaker: "nobody",
        mayGrant,
        sharesUser: true,
        traits: [],
    };
    const program = { ...deleted, memberReplicas: {}, prerequisites } as unknown as ClusterProgramInputs;
    const warnings: string[] = [];
    const { refused } = await checkPrerequisites({}, program, world, ({ message }) => warnings.push(message), mayGrant);
    return [...refused.map(shown), ...warnings];
}

/** A gate whose API server does not answer. */
async function gateWithoutAnswer(warnings: string[] = [], why?: Error) {
    const failure = await unreachable(why);
    const definition = { replicasOf: () => 3 } as unknown as GateDefinition<CommonInputs>;
    return createGate(definition, {
        plans: new Map(),
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve({ now: () => 0, lease: () => Promise.reject(failure) }),
        progress: () => ({ warn: ({ message }: Notice) => warnings.push(message) }),
    } as unknown as GateWorld);
}

describe("docs/troubleshooting.md quotes the exact messages", () => {
    it("of missing Secrets, in docs/tls.md", () => {
        const missing = ["pd-cluster", "cluster-client"].map((end) => ({
            secretName: `mine-${end}-secret`,
            commonName: `mine-${end === "pd-cluster" ? "pd" : end}`,
        }));
        const { text: tlsPage } = pageAt(join("docs", "tls.md"));
        const warning = missingSecrets("tidb", missing, false);
        assert.ok(warning !== undefined && tlsPage.includes(warning), warning);
    });

    it("of an unreachable cluster, in a preview and in an update", async () => {
        const warnings: string[] = [];
        await (await gateWithoutAnswer(warnings)).check({}, deleted);
        assert.equal(warnings.length, 1);
        assert.ok(quoted.includes(warnings[0]), warnings[0]);
        await assert.rejects(
            (await gateWithoutAnswer()).create(deleted),
            (error: Error) => quoted.includes(error.message) || assert.fail(error.message),
        );
    });

    it("of a login that takes too long", async () => {
        const seconds = credentialTimeoutMilliseconds / 1000;
        const why = new CredentialError(
            `the credential command \`aws\` of the kubeconfig's user mine did not answer within ${seconds} s; ${tryByHand}`,
        );
        await assert.rejects(
            (await gateWithoutAnswer([], why)).create(deleted),
            (error: Error) => quoted.includes(error.message) || assert.fail(error.message),
        );
    });

    it("of a namespace that does not exist or is being deleted", () => {
        for (const { refused, warning } of [
            judgeNamespace("tidb", "missing", "nobody"),
            judgeNamespace("tidb", "missing", "maybe"),
            judgeNamespace("tidb", "terminating", "program"),
        ]) {
            const message = refused ? shown(refused) : (warning ?? "");
            assert.ok(quoted.includes(message), message);
        }
    });

    it("of a missing permission, with the rules to grant", async () => {
        const denied = permissionsOf("mine").filter(
            ({ resource, verb }) => `${verb} ${resource}` === "delete pods" || resource === "pods/portforward",
        );
        const [refused] = await permissionsReviewed(denied);
        assert.equal(refused.split("\n").length, 3);
        assert.ok(page.text.includes(refused), refused);
    });

    it("of permissions that could not be checked", async () => {
        const fail = () => Promise.reject(Object.assign(new Error(), { code: 503, body: "Service Unavailable" }));
        const call = withErrorContext("https://10.0.0.1:6443", "list the user's permissions", fail);
        const { message } = await call.then(
            () => assert.fail("no error"),
            (error: unknown) => error as KubernetesApiError,
        );
        const [warning] = await permissionsReviewed([], message);
        assert.ok(quoted.includes(warning), warning);
    });

    it("of a version that is lower than the running one", () => {
        const members = ["pd", "tikv", "tidb"].map((component) => {
            const container = known<ContainerState>({ is: "running", startedAt: 0 }, "node one", 0);
            const pods = [{ name: `mine-${component}-0`, image: `pingcap/${component}:v8.5.3`, container }];
            return [component, { pods: pods as ObservedPod[] } as ObservedMember] as const;
        });
        const wanted = members.map(([component]) => [component, { version: "v8.4.0", versionField: "spec.version" }]);
        const changes = versionChanges(Object.fromEntries(wanted), { members: Object.fromEntries(members) }, {}, false);
        assert.equal(changes.refused.length, 1);
        assert.ok(quoted.includes(shown(changes.refused[0])), shown(changes.refused[0]));
    });

    it("of versions and TLS that the update compares itself, because the check could not", async () => {
        const container = known<ContainerState>({ is: "running", startedAt: 0 }, "node one", 0);
        const pods = [{ name: "mine-pd-0", image: "pingcap/pd:v8.5.3", container, clusterTls: false }];
        const pd = { pods: pods as ObservedPod[] } as ObservedMember;
        const ports = { look: () => Promise.resolve({ members: { pd }, pdClusterId: "7" }) } as unknown as GatePorts;
        const updated = (version: string, tls: boolean) => {
            const wanted = { pd: { version, versionField: "spec.version" } };
            const prerequisites = { members: wanted, traits: tls ? ["tls"] : [], comparesWith: {} };
            const program = { cluster: "mine", namespace: "tidb", prerequisites } as unknown as ClusterProgramInputs;
            return compareInUpdate(program, ports).then(
                () => assert.fail("no error"),
                (error: Error) => error.message,
            );
        };
        const message = await updated("v8.4.0", false);
        assert.ok(quoted.includes(message), message);
        const tls = (await updated("v8.5.3", true))
            .replace(/^compare-versions: tidb\/mine: /, "")
            .replace(/ Next: .*/, "");
        const { text: tlsPage } = pageAt(join("docs", "tls.md"));
        assert.ok(tlsPage.includes(`\n${tls.replace(/\.$/, "")}\n`), tls);
    });

    it("of permissions that something else may still grant", async () => {
        const denied = permissionsOf("mine").filter(({ resource, verb }) => `${verb} ${resource}` === "delete pods");
        const [warning] = await permissionsReviewed(denied, undefined, true);
        assert.match(warning, /\nThe update fails unless something that the TidbCluster depends on grants this$/);
        assert.ok(page.text.includes(`\n${warning}\n`), warning);
    });

    it("of claims that an earlier cluster left, with a version and without", () => {
        const left = (version?: string) =>
            ["pd", "tikv"].map((component) => {
                const claim = { name: `${component}-mine-${component}-0`, uid: "1", resourceVersion: "1", ordinal: 0 };
                const claims = [{ ...claim, released: false, terminating: false, version }];
                return [component, { component, pods: [], claims }] as [string, ObservedMember];
            });
        const wanted = { version: "v8.1.2", versionField: "spec.version" };
        for (const version of ["v8.5.3", undefined]) {
            const members = Object.fromEntries(left(version));
            const { refused, warnings } = versionChanges({ pd: wanted, tikv: wanted }, { members }, {}, false);
            const [message] = [...refused.map(shown), ...warnings.map((one) => one.message)];
            assert.ok(quoted.includes(message), message);
        }
        const found = leftClaims({ pd: {}, tikv: {} }, { members: Object.fromEntries(left("v8.1.2")) }, {}).warnings;
        assert.equal(found.length, 2);
        found.forEach(({ message }) => assert.ok(quoted.includes(message), message));
    });

    it("of a version that was only asked for, and of a record that the API server refuses", () => {
        const claims = [claimOf("tikv", 0, { version: "v8.5.2" })];
        const statefulSet = { name: "mine-tikv", image: "pingcap/tikv:v8.55.3" } as ObservedMember["statefulSet"];
        const tikv: ObservedMember = { component: "tikv", pods: [], claims, statefulSet };
        const live = { members: { tikv } };
        const wanted = { version: "v8.5.3", versionField: "spec.version" };
        const { refused, warnings } = versionChanges({ tikv: wanted }, { ...live, pdClusterId: "7" }, {}, false);
        assert.deepEqual(refused, []);
        assert.ok(quoted.includes(warnings[0].message), warnings[0].message);

        const said: string[] = [];
        const progress = { warn: ({ message }: Notice) => said.push(message) } as unknown as GatePorts["progress"];
        const seen =
            'could not mark claim tikv-mine-tikv-0: the API server at https://10.0.0.1:6443 answered 403: persistentvolumeclaims "tikv-mine-tikv-0" is forbidden';
        const cause = new KubernetesApiError(seen, 403);
        const claim = { name: "tikv-mine-tikv-0", uid: "1" };
        const action: Action = { do: "note-version", version: "v8.5.3", claims: [claim] };
        refusedNotes({ progress }).goOn(action, new Error(seen, { cause }));
        assert.ok(quoted.includes(said[0]), said[0]);
    });

    it("of a Namespace of the program, whose end is the volumes' end", () => {
        assert.ok(quoted.includes(namespaceOfProgram("tidb")), namespaceOfProgram("tidb"));
    });

    it("of a cluster to destroy that no longer exists", async () => {
        const failure = await unreachable();
        const world = { open: () => Promise.reject(failure) } as unknown as GateWorld;
        await assert.rejects(
            beforeClusterIsDeleted("", deleted, world),
            (error: Error) => quoted.includes(error.message) || assert.fail(error.message),
        );
    });

    it("of a cluster that is not the Kubernetes provider's", () => {
        const other = { uid: "1c1f" } as Lease;
        const message = messageOf(() => assertSameCluster(deleted as unknown as Inputs, other));
        assert.ok(quoted.includes(message), message);
    });

    it("of a namespace that was destroyed", () => {
        const message = messageOf(() => assertSameCluster(deleted as unknown as Inputs, undefined));
        assert.ok(quoted.includes(message), message);
    });

    it("of a lost stack", () => {
        const reason = refuseOwner({ uid: "7e21", owner }, undefined, owner, false);
        assert.ok(quoted.includes(`Lease tidb/mine-pulumi-tidb: ${reason}`), reason);
    });

    it("of a lock that is held for an hour", () => {
        const holder = "ana@laptop, process 18439 (3f9a1c)";
        const { message } = new GateError({
            code: "lock-held",
            step: "lock",
            target: "roll out mine-tikv",
            seen: `${holder} has held the lock for an hour (roll out mine-tikv)`,
            next: "wait until that run has ended, or end it",
        });
        assert.ok(quoted.includes(message), message);
    });
});

describe("docs/troubleshooting.md explains the codes:", () => {
    const [, ofErrors, ofNotices] = page.text.split(/^## The code of .*$/m);
    const explainedIn = (section: string) => [...section.matchAll(/^\| `([a-z-]+)`/gm)].map(([, code]) => code);

    it("each code of an error, and no other", () =>
        assert.deepEqual(explainedIn(ofErrors), [...conditions, ...failures]));
    it("each code of a warning or a note, and no other", () => assert.deepEqual(explainedIn(ofNotices), [...notices]));
});
