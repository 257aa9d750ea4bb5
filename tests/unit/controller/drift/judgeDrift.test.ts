import * as assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { changesOfProgram, driftOf, obstaclesToRepair } from "../../../../controller/drift/judgeDrift";
import { notTold, previewedProgram } from "../../../../controller/drift/previewedProgram";
import { byPulumi, configMap, gate, type PlayedObject, refreshed, service, statefulSet, step } from "./programEvents";

const label = 'metadata.labels["app.kubernetes.io/component"]';
const found = (...events: EngineEvent[]) => driftOf(previewedProgram(events));
const titles = (...events: EngineEvent[]) =>
    found(...events).map(({ name, change, differs }) => [name, change, ...differs].join(" "));

describe("Drift", () => {
    it("is what a refresh finds deleted or edited, with its cluster and the paths that differ", () => {
        const [deleted, edited] = found(refreshed(service, "gone"), refreshed(statefulSet, [label]));
        assert.equal(deleted.change, "deleted");
        assert.deepEqual(deleted.cluster, { namespace: "tidb", cluster: "basic" });
        assert.deepEqual([edited.change, edited.namespace, edited.name], ["edited", "tidb", "basic-tikv"]);
        assert.deepEqual(edited.differs, [label]);
    });

    it("is nothing if the refresh finds no difference", () => {
        assert.deepEqual(titles(refreshed(service, []), step("same", service)), []);
    });

    it("is not what the program wants by now, such as the replicas of a failover", () => {
        assert.deepEqual(titles(refreshed(statefulSet, ["spec.replicas"]), step("same", statefulSet)), []);
        assert.deepEqual(titles(refreshed(statefulSet, ["spec.replicas"]), step("update", statefulSet)), [
            "basic-tikv edited spec.replicas",
        ]);
    });

    it("is known although a conflict of field managers ended the preview before it came to the object", () => {
        assert.deepEqual(titles(refreshed(service, "gone"), refreshed(configMap, ["data.config-file"])), [
            "basic-tidb deleted",
            "basic-pd edited data.config-file",
        ]);
    });

    it("is a deletion, or what is to be changed, if the preview failed: what it did not come to may be as wanted", () => {
        const seen = previewedProgram([
            refreshed(service, "gone"),
            refreshed(statefulSet, [label]),
            step("update", statefulSet),
            refreshed(configMap, ["metadata.annotations.x"]),
        ]);
        assert.deepEqual(
            driftOf(seen, false).map(({ name }) => name),
            ["basic-tidb", "basic-tikv"],
        );
    });

    describe("behind a preview that failed before it came to the object", () => {
        const by = (manager: string, fieldsV1: object, inputs: object = {}) => ({
            ...service,
            inputs,
            managedFields: [byPulumi, { manager, operation: "Update", fieldsV1 }],
        });
        const labelled = (name: string) => ({ "f:metadata": { "f:labels": { [`f:${name}`]: {} } } });
        const instance = "app.kubernetes.io/instance";
        const ports = { spec: { ports: [{ port: 4000, targetPort: 4000 }] } };
        const port = { "f:spec": { "f:ports": { 'k:{"port":4000,"protocol":"TCP"}': { "f:targetPort": {} } } } };
        const told: Record<string, [object: PlayedObject, differs: string, isTold: boolean]> = {
            "is told if `kubectl` alone owns what the program has and what differs": [
                by("kubectl-edit", labelled(instance)),
                `metadata.labels["${instance}"]`,
                true,
            ],
            "is told of an element of a list": [by("kubectl-edit", port, ports), "spec.ports[0].targetPort", true],
            "is not told of what others have added": [by("kubectl-label", labelled("x")), "metadata.labels.x", false],
            "is not told of what the gates have changed": [
                by("pulumi-tidb", port, ports),
                "spec.ports[0].targetPort",
                false,
            ],
            "is not told if something else differs": [
                by("kubectl-edit", labelled(instance)),
                "metadata.annotations.x",
                false,
            ],
            "is not told if the field managers are not known": [
                { ...by("kubectl-edit", labelled(instance)), managedFields: undefined },
                `metadata.labels["${instance}"]`,
                false,
            ],
        };
        for (const [title, [object, differs, isTold]] of Object.entries(told)) {
            it(title, () => {
                const seen = previewedProgram([refreshed(object, [differs])]);
                assert.equal(driftOf(seen, false).length, isTold ? 1 : 0);
            });
        }
    });

    it("keeps no value of a property: it may be secret", () => {
        const event = refreshed(configMap, ["data.password"]);
        const { inputs } = event.resOutputsEvent!.metadata.old!;
        inputs.data = { password: "hunter2" };
        assert.doesNotMatch(JSON.stringify(previewedProgram([event])), /hunter2/);
    });
});

describe("A program's own changes", () => {
    it("are none if all is the same without a refresh", () => {
        assert.deepEqual(changesOfProgram(previewedProgram([step("same", service), step("same", gate)])), []);
    });

    for (const op of ["create", "update", "replace", "delete", "import"]) {
        it(`are told if it would ${op} anything`, () => {
            assert.deepEqual(changesOfProgram(previewedProgram([step(op, service)])), [
                `the program would ${op} Service basic-tidb`,
            ]);
        });
    }

    it("are also a change of the stack's configuration, which Pulumi neither shows nor counts", () => {
        const provider: PlayedObject = { type: "pulumi:providers:pulumi-nodejs", name: "default" };
        assert.deepEqual(changesOfProgram(previewedProgram([step("update", provider)])), [
            "the program would update the default provider pulumi-nodejs: the stack's configuration is no longer that of the last update",
        ]);
    });

    it("are so for each provider whose name begins with `default`, as Pulumi sees it", () => {
        for (const name of ["default", "default_6_7_0", "defaultCluster"]) {
            const provider: PlayedObject = { type: "pulumi:providers:kubernetes", name };
            const seen = previewedProgram([step("update", provider)]);
            assert.match(changesOfProgram(seen)[0], /^the program would update the default provider kubernetes/);
            assert.deepEqual(notTold({ ...seen, counted: {} }), []);
            assert.deepEqual(notTold({ ...seen, counted: { update: 0 } }), []);
        }
        const named: PlayedObject = { type: "pulumi:providers:kubernetes", name: "my-default" };
        assert.deepEqual(notTold({ ...previewedProgram([step("update", named)]), counted: { update: 0 } }), [
            "update: 0 counted, 1 told",
        ]);
    });

    it("are also the steps of a gate", () => {
        assert.deepEqual(changesOfProgram(previewedProgram([step("update", gate)])), [
            "the gate basic-tikv-rollout has steps to take, as `pulumi preview` shows",
        ]);
    });
});

describe("A repair of drift", () => {
    const kind = (type: string): PlayedObject => ({ type: `kubernetes:${type}`, name: "one" });
    const secret = kind("core/v1:Secret");
    const deployment = kind("apps/v1:Deployment");
    const claim = kind("core/v1:PersistentVolumeClaim");
    const job = kind("batch/v1:Job");
    const namespace = kind("core/v1:Namespace");
    const lease = kind("coordination.k8s.io/v1:Lease");
    const custom = kind("cert-manager.io/v1:Certificate");
    const bucket: PlayedObject = { type: "aws:s3/bucket:Bucket", name: "one" };

    type Row = [title: string, events: EngineEvent[], obstacle: RegExp | undefined];
    const deleted = (object: PlayedObject) => [refreshed(object, "gone"), step("create", object)];
    const edited = (object: PlayedObject, path: string) => [refreshed(object, [path]), step("update", object, [path])];
    const replaced = (object: PlayedObject, path: string) => [
        refreshed(object, [path]),
        ...["delete-replaced", "replace", "create-replacement"].map((op) => step(op, object, [path])),
    ];
    const inTemplate = { "f:spec": { "f:template": { "f:spec": { "f:priorityClassName": {} } } } };
    const templateOfPulumi = {
        ...byPulumi,
        fieldsV1: { "f:spec": { "f:template": { "f:spec": { "f:containers": {} } } } },
    };
    const writtenBy = (manager: string, fieldsV1: object = inTemplate, more = {}): PlayedObject => ({
        ...statefulSet,
        managedFields: [byPulumi, templateOfPulumi, { manager, operation: "Update", fieldsV1, ...more }],
    });
    const of = (object: PlayedObject, inputs: object, manager: string, fieldsV1: object): PlayedObject => ({
        ...object,
        inputs,
        managedFields: [byPulumi, { manager, operation: "Update", fieldsV1 }],
    });
    const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
    const labelled = (...names: string[]) => ({ "f:metadata": { "f:labels": { ".": {}, ...named(names) } } });
    const dataOf = (...names: string[]) => ({ "f:data": { ".": {}, ...named(names) } });
    const ports = { spec: { ports: [{ port: 4000, targetPort: 4000 }] } };
    const port = (number: string) => ({
        "f:spec": { "f:ports": { [`k:{"port":${number},"protocol":"TCP"}`]: { ".": {}, "f:targetPort": {} } } },
    });
    const role = kind("rbac.authorization.k8s.io/v1:Role");
    const ranges = (...all: string[]) => ({ spec: { loadBalancerSourceRanges: all } });
    const rules = (...verbs: unknown[]) => ({ rules: [{ resources: ["pods"], verbs }] });
    const listBy = (object: PlayedObject, inputs: object, live: object, fieldsV1: object): EngineEvent[] =>
        edited({ ...of(object, inputs, "kubectl-edit", fieldsV1), live }, label);
    const rangesBy = (inputs: object, live: object) =>
        listBy(service, inputs, live, { "f:spec": { "f:loadBalancerSourceRanges": {} } });
    const noRange = /take out of Service basic-tidb .*: spec\.loadBalancerSourceRanges by kubectl-edit/;
    const annotated = (...names: string[]) => ({ "f:metadata": { "f:annotations": { ".": {}, ...named(names) } } });
    const record = "kubectl.kubernetes.io/last-applied-configuration";
    const annotatedService = (fieldsV1: object) =>
        edited(of(service, {}, "kubectl-client-side-apply", fieldsV1), label);
    const rows: Row[] = [
        [
            "takes nothing out of a list that `kubectl` has added to",
            rangesBy(ranges("10.0.0.0/8"), ranges("10.0.0.0/8", "192.168.0.0/16")),
            noRange,
        ],
        [
            "takes nothing out of a list whose entry `kubectl` has changed",
            rangesBy(ranges("10.0.0.0/8"), ranges("192.168.0.0/16")),
            noRange,
        ],
        [
            "sets a list back out of which `kubectl` has taken entries",
            rangesBy(ranges("10.0.0.0/8", "192.168.0.0/16"), ranges("192.168.0.0/16")),
            undefined,
        ],
        ["writes no list of which it is not known what it has", rangesBy(ranges("10.0.0.0/8"), {}), noRange],
        [
            "writes no list whose entries are secret",
            rangesBy(ranges("10.0.0.0/8", "[secret]"), ranges("10.0.0.0/8", "[secret]")),
            noRange,
        ],
        [
            "writes no list that is secret",
            rangesBy(
                { spec: { loadBalancerSourceRanges: "[secret]" } },
                { spec: { loadBalancerSourceRanges: "[secret]" } },
            ),
            noRange,
        ],
        [
            "takes nothing out of a list in an entry of a list, such as a Role's verbs",
            listBy(role, rules("get"), rules("get", "list"), { "f:rules": {} }),
            /take out of Role one what the program does not have: rules by kubectl-edit/,
        ],
        [
            "sets a Role's verbs back that `kubectl` has taken out",
            listBy(role, rules("get", "list"), rules("get"), { "f:rules": {} }),
            undefined,
        ],
        [
            "sets a label back although `kubectl` has made the map in which others have written",
            listBy(
                service,
                { spec: { selector: { a: "1" } } },
                { spec: { selector: { a: "1", theirs: "2" } } },
                { "f:spec": { "f:selector": { ".": {} } } },
            ),
            undefined,
        ],
        ["sets a label back after `kubectl apply`, whose record goes", annotatedService(annotated(record)), undefined],
        [
            "takes no other annotation out after `kubectl apply`",
            annotatedService(annotated(record, "kubectl.kubernetes.io/restartedAt")),
            /: metadata\.annotations\["kubectl\.kubernetes\.io\/restartedAt"\] by kubectl-client-side-apply\. /,
        ],
        [
            "makes no ConfigMap anew that a Patch of another stack has written on",
            replaced(
                of(configMap, { data: { "config-file": "" } }, "pulumi-kubernetes-99ffee", dataOf("other-stack")),
                "data.x",
            ),
            /^it would take out of ConfigMap basic-pd .*: data\.other-stack by pulumi-kubernetes-99ffee\. /,
        ],
        [
            "sets a label back beside the Patch of another stack, which stays",
            edited(of(service, {}, "pulumi-kubernetes-99ffee", dataOf("other-stack")), label),
            undefined,
        ],
        [
            "takes nothing out that `kubectl` has in the pod template: that would restart pods",
            edited(writtenBy("kubectl-set"), label),
            /take out of StatefulSet basic-tikv what the program does not have: spec\.template\.spec\.priorityClassName by kubectl-set, which restarts pods\. Set metadata\.labels.* by hand, or run `pulumi up --refresh` when pods/,
        ],
        [
            "takes nothing out that is from before the first apply",
            edited(writtenBy("before-first-apply"), label),
            /priorityClassName by before-first-apply/,
        ],
        [
            "takes nothing out of a Deployment's pod template",
            edited({ ...deployment, managedFields: writtenBy("kubectl-rollout").managedFields }, label),
            /take out of Deployment one .* by kubectl-rollout, which restarts pods/,
        ],
        [
            "sets a label back that `kubectl` has set",
            edited(writtenBy("kubectl-label", labelled("app.kubernetes.io/instance")), label),
            undefined,
        ],
        [
            "takes no label out that `kubectl` has set and the program does not have",
            edited(writtenBy("kubectl-label", labelled("app.kubernetes.io/instance", "example.com/team", "x")), label),
            /StatefulSet basic-tikv what the program does not have: metadata\.labels\["example\.com\/team"\], metadata\.labels\.x by kubectl-label\. .* when that may go$/,
        ],
        [
            "takes no key out of a Secret, also where it is not known what the program has: it is secret",
            edited(of(secret, { data: "[secret]" }, "kubectl-edit", { "f:data": { "f:extra": {} } }), label),
            /take out of Secret one what the program does not have: data\.extra by kubectl-edit/,
        ],
        [
            "takes no port out of a Service",
            edited(of(service, ports, "kubectl-patch", port("9999")), "spec.ports[0].targetPort"),
            /spec\.ports\[\{"port":9999,"protocol":"TCP"\}\]\.targetPort by kubectl-patch/,
        ],
        [
            "sets a Service's port back that `kubectl` has changed, without what Kubernetes fills in",
            edited(of(service, ports, "kubectl-edit", port("4000")), "spec.ports[0].targetPort"),
            undefined,
        ],
        [
            "takes no finalizer out that `kubectl` has set",
            edited(of(service, {}, "kubectl-patch", { "f:metadata": { "f:finalizers": { 'v:"x"': {} } } }), label),
            /metadata\.finalizers\["x"\] by kubectl-patch/,
        ],
        [
            "counts fields beyond five, and names each manager",
            edited(
                {
                    ...writtenBy("kubectl-label", labelled(..."abcdefg")),
                    managedFields: [
                        ...(writtenBy("kubectl-label", labelled(..."abcdefg")).managedFields as object[]),
                        { manager: "kubectl-annotate", fieldsV1: { "f:metadata": { "f:annotations": { "f:y": {} } } } },
                    ],
                },
                label,
            ),
            /metadata\.labels\.e and 2 more by kubectl-label; metadata\.annotations\.y by kubectl-annotate\./,
        ],
        [
            "makes no ConfigMap anew on which anybody has written what the program does not have",
            replaced(
                of(configMap, { data: { "config-file": "" } }, "reloader", dataOf("config-file", "more")),
                "data.x",
            ),
            /^it would take out of ConfigMap basic-pd what the program does not have: data\.more by reloader\. /,
        ],
        [
            "makes a ConfigMap anew of which somebody has edited only what the program has",
            replaced(of(configMap, { data: { "config-file": "" } }, "kubectl-edit", dataOf("config-file")), "data.x"),
            undefined,
        ],
        [
            "writes no object of any kind whose managed fields are not known",
            edited({ ...service, managedFields: [] }, label),
            /would write Service basic-tidb, whose managedFields are not known/,
        ],
        [
            "makes no ConfigMap anew whose managed fields are not known",
            replaced({ ...configMap, managedFields: undefined }, "data.config-file"),
            /would write ConfigMap basic-pd, whose managedFields are not known/,
        ],
        ["sets a label back beside fields of others, which stay", edited(writtenBy("istio"), label), undefined],
        ...[undefined, [], "[secret]"].map((managedFields): Row => [
            `does not write a StatefulSet whose managed fields are ${JSON.stringify(managedFields)}`,
            edited({ ...statefulSet, managedFields }, label),
            /would write StatefulSet basic-tikv, whose managedFields are not known/,
        ]),
        ["creates a Service again", deleted(service), undefined],
        ["creates a Secret again", deleted(secret), undefined],
        ["creates a Deployment again", deleted(deployment), undefined],
        ["sets a Service's ports back", edited(service, "spec.ports[0].port"), undefined],
        ["sets the label of a StatefulSet back", edited(statefulSet, label), undefined],
        ["sets the annotation of any kind of object back", edited(custom, "metadata.annotations.x"), undefined],
        ["makes a ConfigMap anew whose data were edited", replaced(configMap, "data.config-file"), undefined],
        [
            "scales no StatefulSet",
            edited(statefulSet, "spec.replicas"),
            /would update StatefulSet basic-tikv: spec.replicas/,
        ],
        ["changes no pod template", edited(statefulSet, "spec.template.spec.containers[0].image"), /would update/],
        [
            "changes no Deployment's pods",
            edited(deployment, "spec.template.metadata.labels.x"),
            /would update Deployment/,
        ],
        [
            "does not set a Secret back: the password may have changed, too",
            edited(secret, "data.root"),
            /update Secret/,
        ],
        ["makes no StatefulSet anew", deleted(statefulSet), /would create StatefulSet/],
        ["makes no claim anew: it would be empty", deleted(claim), /would create PersistentVolumeClaim/],
        ["makes no Job anew: it would run again", deleted(job), /would create Job/],
        ["makes no namespace anew", deleted(namespace), /would create Namespace/],
        ["makes no Lease anew: its records are gone", deleted(lease), /would create Lease/],
        ["changes no custom resource", edited(custom, "spec.issuerRef.name"), /would update Certificate/],
        ["changes nothing outside of Kubernetes", edited(bucket, "metadata.labels.x"), /would update Bucket/],
        ["replaces no Service", replaced(service, "spec.type"), /would delete-replaced Service/],
        ["deletes nothing", [refreshed(service, ["spec.type"]), step("delete", service)], /would delete Service/],
        [
            "changes nothing that has not drifted",
            [step("update", service, [label])],
            /update Service basic-tidb, which has not/,
        ],
        [
            "creates nothing that was only edited",
            [refreshed(service, [label]), step("create", service)],
            /create Service/,
        ],
        [
            "changes nothing of which it is not known what",
            [refreshed(statefulSet, [label]), step("update", statefulSet)],
            /not known/,
        ],
        [
            "is left to a person if a gate has steps",
            [...deleted(service), step("update", gate)],
            /^the gate basic-tikv-rollout/,
        ],
    ];
    for (const [title, events, obstacle] of rows) {
        it(title, () => {
            const seen = previewedProgram(events);
            const obstacles = obstaclesToRepair(seen, driftOf(seen));
            if (obstacle === undefined) {
                assert.deepEqual(obstacles, []);
            } else {
                assert.match(obstacles[0] ?? "", obstacle);
            }
        });
    }
});
