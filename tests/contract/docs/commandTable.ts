/**
 * How the tests cover a command that the documentation shows: they run it here, or a file runs it elsewhere. Add an entry for
 * each new command. Prefer `runs`; use `elsewhere` only for what needs a cluster, a registry, or minutes.
 */
export type CommandEntry = { readonly command: RegExp } & (
    | { /** What the command must print. */ readonly runs: RegExp }
    | { /** Files that run it or what it stands for, from the root. */ readonly elsewhere: readonly string[] }
);

const endToEnd = ["tests/e2e/firstDeployment.test.ts"];
const installation = ["scripts/installation.ts"];

export const commandTable: readonly CommandEntry[] = [
    { command: /^npx pulumi-tidb render \S+( --only \S+)?$/, runs: /^\[\n[^]*"kind": "StatefulSet"/ },
    {
        command: /^(kubectl get tidbcluster .* \| )?npx pulumi-tidb render \S+ backup\.yaml( --only \S+)?$/,
        elsewhere: ["tests/unit/components/brDocuments.test.ts"],
    },
    { command: /^npx pulumi-tidb render \S+ --output yaml$/, runs: /^kind: StatefulSet$/m },
    { command: /^npx pulumi-tidb render \S+ --strict$/, runs: /"kind": "StatefulSet"/ },
    { command: /^npx pulumi-tidb convert \S+$/, runs: /new TidbCluster\(/ },
    { command: /^npx pulumi-tidb convert \S+ --stack \S+$/, runs: /^Created .*\nNext:\n {2}cd .*\n {2}npm install\n/ },
    {
        command: /^npx pulumi-tidb plan \S+/,
        elsewhere: ["tests/e2e/scaling.test.ts", "tests/e2e/moreExamples.test.ts"],
    },
    {
        command: /^npx pulumi-tidb status \S+ -n \S+( --watch| --output json| --output html > \S+)?$/,
        elsewhere: ["tests/e2e/rollout.test.ts", "tests/unit/status/statusCommand.test.ts"],
    },
    {
        command: /^npx pulumi-tidb diagnose \S+ -n \S+( --guaranteed| --output json| --output yaml)?$/,
        elsewhere: ["tests/e2e/diagnose.test.ts", "tests/unit/status/diagnosis/diagnoseCommand.test.ts"],
    },
    {
        command: /^npx pulumi-tidb sweep \S+ -n \S+( --yes)?$/,
        elsewhere: ["tests/e2e/sweep.test.ts", "tests/unit/sweep/sweepCommand.test.ts"],
    },
    {
        command: /^npx pulumi-tidb controller run /,
        elsewhere: ["tests/e2e/controller.test.ts"],
    },
    {
        command:
            /^npx pulumi-tidb timeline \S+ -n \S+( --all| --output json| --output html > \S+| --pod \S+ --since \S+)?$/,
        elsewhere: ["tests/e2e/killAndResume.test.ts", "tests/unit/status/timeline/timeline.test.ts"],
    },
    {
        command: /^kubectl (describe pod|get events) .*-n \S+/,
        elsewhere: ["tests/e2e/killAndResume.test.ts"],
    },
    {
        command: /^(npx pulumi-tidb|node <clone>\S+) convert \S+ --stack \S+ --package <clone>\S*\.tgz$/,
        elsewhere: ["tests/contract/convert/packageSource.test.ts"],
    },
    { command: /^npx pulumi-tidb (\w+ )?--help$/, runs: /^Usage: npx pulumi-tidb / },
    { command: /^npx pulumi-tidb sandbox (start|list|stop)( --name \S+)?$/, elsewhere: ["tests/e2e/sandbox.test.ts"] },
    {
        command: /^npx pulumi-tidb sandbox start --processes \S+$|^tiup install /,
        elsewhere: ["tests/e2e/processes.test.ts", "tests/real/operations.test.ts"],
    },
    {
        command: /^kubectl get pods -l app\.kubernetes\.io\/component=tidb -o jsonpath=/,
        elsewhere: ["tests/e2e/processes.test.ts"],
    },
    { command: /^npx pulumi-tidb sandbox node (stop|start) node-\d$/, elsewhere: ["tests/e2e/sandbox.test.ts"] },
    {
        command: /^kubectl get (nodes|pods -o wide( -L topology\.kubernetes\.io\/zone)?)$/,
        elsewhere: ["tests/e2e/zones.test.ts", "tests/e2e/sandbox.test.ts"],
    },
    {
        command: /^npx pulumi-tidb sandbox pulumi (preview|up|destroy)( my-cluster| examples\/basic)?$/,
        elsewhere: ["tests/e2e/sandbox.test.ts"],
    },
    {
        command: /^npx pulumi-tidb approve \S+ ([0-9a-f]{12} --namespace \S+( --withdraw)?|--next --namespace \S+)$/,
        elsewhere: ["tests/e2e/approval.test.ts"],
    },
    { command: /^npx pulumi-tidb stop \S+( --namespace \S+)?$/, elsewhere: ["tests/e2e/killAndResume.test.ts"] },
    { command: /^npx pulumi-tidb render .* \| kubectl diff -f -$/, elsewhere: ["tests/e2e/dryRun.test.ts"] },
    { command: /^mkdir my-cluster && cd my-cluster$/, runs: /^$/ },
    { command: /^npx pulumi-tidb completion bash > /, elsewhere: ["tests/contract/completion.test.ts"] },
    { command: /^npm init -y && npm pkg set main=index\.ts$/, runs: /"name"/ },
    { command: /^printf '.*' > Pulumi.yaml$/, runs: /^$/ },
    { command: /^export PULUMI_CONFIG_PASSPHRASE=[\w-]+$/, runs: /^$/ },
    {
        command: /^npm pack( --workspace cli --workspace sandbox)?$/,
        elsewhere: [...installation, "tests/contract/package/package.test.ts"],
    },
    { command: /^npm install && npm run build$/, elsewhere: ["scripts/setup.mjs"] },
    { command: /^npm install( --save-dev)?( [\w@/.-]+| <clone>\/\S+)*$/, elsewhere: installation },
    { command: /^npm (run demo|test)$/, elsewhere: [".ci/run"] },
    { command: /^npx mocha --require ts-node\/register /, elsewhere: ["tests/contract/docs/testing.test.ts"] },
    { command: /^pulumi (stack init|config set|preview|up|destroy)\b/, elsewhere: endToEnd },
    { command: /^pulumi refresh$/, elsewhere: ["tests/e2e/engine.test.ts"] },
    { command: /^pulumi stack output addresses$/, elsewhere: ["tests/e2e/cloudExamples.test.ts"] },
    { command: /^pulumi login --local$/, elsewhere: ["tests/unit/convert/nextCommands.test.ts"] },
    {
        command: /^kubectl create (namespace initializer|secret generic app-passwords )/,
        elsewhere: ["tests/e2e/jobs.test.ts"],
    },
    { command: /^kubectl get secret basic-init /, elsewhere: ["tests/e2e/password.test.ts"] },
    { command: /^(kubectl port-forward service\/\S+ 4000 |mysql --host )/, elsewhere: ["tests/e2e/password.test.ts"] },
    {
        command: /^(kubectl port-forward service\/\S+ 2379:2379$|curl -X DELETE http:\S+\/pd\/api\/v1\/store\/)/,
        elsewhere: ["tests/e2e/deletedClaims.test.ts"],
    },
    {
        command: /^(kubectl port-forward service\/\S+ 2379 |curl -X DELETE http:\S+\/config\/rule\/)/,
        elsewhere: ["tests/contract/dataPlane/tiflash.test.ts"],
    },
    {
        // What the mark does: a user's word counts only where PD and the process do not contradict.
        command: /^kubectl annotate pvc .* --overwrite \S+ tidb\.pingcap\.com\/pvc-defer-deleting=by-hand$/,
        elsewhere: ["tests/unit/lifecycle/stages/outOfPd/proof.test.ts"],
    },
    { command: /^kubectl apply .*cert-manager/, elsewhere: ["tests/e2e/tls.test.ts"] },
];
