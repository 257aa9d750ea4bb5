import { type Mutation, testsOf } from "./mutation";

const { cluster, gates } = testsOf;
const http = ["tests/unit/http/exchange.test.ts"];

/** Rules about what leaves this machine, when, and what an answer may be. */
export const ofRequests: readonly Mutation[] = [
    {
        name: "a change is sent to the API server although the lock was lost during the login",
        file: "provider/cluster/apiClient.ts",
        find: 'beforeSend: method === "GET" ? undefined : assertAllowed,',
        replace: "beforeSend: assertAllowed && undefined,",
        tests: cluster("sentChanges"),
    },
    {
        name: "an action's changes of Kubernetes are checked only before the login",
        file: "provider/cluster/perform.ts",
        find: "unguarded.guardedBy(assertAllowed)",
        replace: "unguarded.guardedBy(() => undefined)",
        tests: cluster("perform"),
    },
    {
        name: "a Job is started although it was decided long ago",
        file: "provider/cluster/jobs/jobCalls.ts",
        find: "guardedBy(assertAllowed).patchNamespacedJob(",
        replace: "batch.patchNamespacedJob(",
        tests: cluster("sentChanges"),
    },
    {
        name: "a Job of a log backup is made although PD was asked long ago",
        file: "provider/cluster/jobs/jobCalls.ts",
        find: "guardedBy(assertAllowed).createNamespacedJob(",
        replace: "batch.createNamespacedJob(",
        tests: cluster("sentChanges"),
    },
    {
        name: "a Job is started by an old look at the other Jobs",
        file: "provider/gates/jobWorld.ts",
        find: "() => age.assertRecent(false)",
        replace: "() => undefined",
        tests: gates("jobStart"),
    },
    {
        name: "a change is sent to a pod although the lock was lost while its port-forward was opened",
        file: "provider/cluster/podCalls.ts",
        find: "this.send(pod, request, assertAllowed)",
        replace: "this.send(pod, request, assertAllowed && undefined)",
        tests: cluster("sentChanges"),
    },
    {
        name: "a change is sent to PD although the lock was lost while its port-forward was opened",
        file: "provider/pd/transport.ts",
        find: "call.changes && assertAllowed",
        replace: "call.changes && assertAllowed && undefined",
        tests: cluster("sentChanges"),
    },
    {
        name: "root's password is set although the lock was lost during the login",
        file: "provider/cluster/sqlLogin.ts",
        find: "                refuseIfAsked(assertAllowed);\n",
        replace: "",
        tests: cluster("sentChanges"),
    },
    {
        name: "a variable of TiDB is set although the lock was lost during the login",
        file: "provider/cluster/sqlLogin.ts",
        find: "refuseIfAsked(changes && assertAllowed);",
        replace: "void changes;",
        tests: cluster("sentChanges"),
    },
    {
        name: "PD's maintenance task of a successor is ended",
        file: "provider/cluster/maintenanceTask.ts",
        find: "client.guardedBy(assertAllowed).endMaintenance(task)",
        replace: "client.endMaintenance(task)",
        tests: cluster("sharedLock"),
    },
    {
        name: "the lock is checked before what is behind a connection is open",
        file: "provider/http/exchange.ts",
        find: "    await asked.opened?.(socket);\n",
        replace: "",
        tests: http,
    },
    {
        name: "a change is sent although its check failed",
        file: "provider/http/exchange.ts",
        find: "refuseIfAsked(asked.beforeSend);",
        replace: "void refuseIfAsked;",
        tests: http,
    },
    {
        name: "the page that a redirect names counts as an answer",
        file: "provider/http/exchange.ts",
        find: "redirect !== undefined && asked.returnsRedirects !== true",
        replace: 'redirect === ""',
        tests: http,
    },
    {
        name: "a packed answer takes any amount of memory",
        file: "provider/http/exchange.ts",
        find: "{ chunkSize, maxOutputLength: maxBytes }",
        replace: "{ chunkSize }",
        tests: http,
    },
    {
        name: "an answer takes any amount of memory",
        file: "provider/http/exchange.ts",
        find: "if (length > maxBytes) {",
        replace: "if (length < 0) {",
        tests: http,
    },
    {
        name: "a pod that redirects counts as healthy",
        file: "provider/cluster/podStatus.ts",
        find: "if (status >= 300) {",
        replace: "if (status >= 400) {",
        tests: cluster("podStatus"),
    },
    {
        name: "a TiCDC that redirects counts as a version without captures",
        file: "provider/cluster/captures.ts",
        find: "return status >= 300 && status < 400;",
        replace: "return status < 0;",
        tests: cluster("captures"),
    },
];
