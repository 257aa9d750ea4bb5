import { type Mutation, testsOf } from "./mutation";

const { lifecycle, cluster, gates } = testsOf;

/** Rules about PD's members, and the observation of PD. */
export const ofPd: readonly Mutation[] = [
    {
        name: "quorum-without-member is not checked",
        file: "provider/lifecycle/members/pdMember.ts",
        find: "beforeRestart: [noBackupBeforeRestart, membersListed, batchDecided, quorumWithoutMember, leaderElsewhere]",
        replace: "beforeRestart: [membersListed, leaderElsewhere]",
        tests: lifecycle("pdUpgrade"),
    },
    {
        name: "PD's leader restarts before another member leads",
        file: "provider/lifecycle/members/pdMember.ts",
        find: "beforeRestart: [noBackupBeforeRestart, membersListed, batchDecided, quorumWithoutMember, leaderElsewhere]",
        replace: "beforeRestart: [membersListed, quorumWithoutMember]",
        tests: lifecycle("pdUpgrade"),
    },
    {
        name: "quorum-of-those-who-stay is not checked",
        file: "provider/lifecycle/members/pdMember.ts",
        find: "quorumOfThoseWhoStay, leaderElsewhere, memberRemoved",
        replace: "leaderElsewhere, memberRemoved",
        tests: lifecycle("pdScale"),
    },
    {
        name: "a member whose pod is about to stop counts as healthy",
        file: "provider/lifecycle/stages/pdQuorum.ts",
        find: `(runs || (podName === undefined && pod === undefined));`,
        replace: `(runs || !runs || (podName === undefined && pod === undefined));`,
        tests: lifecycle("pdUpgrade", "pdEvidence"),
    },
    {
        name: "a member's pod is removed before the member has left PD",
        file: "provider/lifecycle/members/pdMember.ts",
        find: "leaderElsewhere, memberRemoved, claimsReleased",
        replace: "leaderElsewhere, claimsReleased",
        tests: lifecycle("pdScale"),
    },
    {
        name: "the cluster id is not observed",
        file: "provider/gates/looks.ts",
        find: `"stores", "health", "cluster-id"])]`,
        replace: `"stores", "health"])]`,
        tests: [...gates("gate", "loop"), ...lifecycle("pdIdentity")],
    },
    {
        name: "another PD is accepted as the cluster's PD",
        file: "provider/lifecycle/stages/pdIdentity.ts",
        find: "pdClusterId === undefined || clusterId.value === pdClusterId",
        replace: "pdClusterId === undefined || clusterId.value !== undefined",
        tests: lifecycle("pdIdentity"),
    },
    {
        name: "the namespace of a store's address is ignored",
        file: "provider/lifecycle/vocabulary/identity.ts",
        find: "        inNamespace === namespace &&\n",
        replace: "        inNamespace !== `${namespace}.` &&\n",
        tests: cluster("observeStores", "observePd"),
    },
    {
        name: "the domain of a store's address is ignored",
        file: "provider/lifecycle/vocabulary/identity.ts",
        find: `named && (named.domain === "" || named.domain === identity.domain)`,
        replace: `named && (named.domain === "" || named.domain !== \`\${identity.domain}.\`)`,
        tests: cluster("observeStores", "observePd"),
    },
    {
        name: "a store is taken as ours by the first label of its address alone",
        file: "provider/lifecycle/vocabulary/identity.ts",
        find: 'return named && (named.domain === "" || named.domain === identity.domain) ? named.podName : undefined;',
        replace: 'void named;\n    return host.split(".")[0];',
        tests: cluster("observeStores", "observePd"),
    },
    {
        name: "'not bootstrapped' is read as an empty list even after the first deployment",
        file: "provider/cluster/observePdParts.ts",
        find: "return isFirstDeployment\n",
        replace: "return isFirstDeployment || !isFirstDeployment\n",
        tests: cluster("observePd"),
    },
    {
        name: "the leadership is not read again after the other questions",
        file: "provider/cluster/observeLeadership.ts",
        find: "const isSteady = after.known && after.value.term === term;",
        replace: "const isSteady = after.known || !after.known;",
        tests: cluster("observePd"),
    },
    {
        name: "PD is taken as unreachable if one question fails",
        file: "provider/cluster/pdQueries.ts",
        find: "if (this.answers === 0 && this.failures.length > 0) {",
        replace: "if (this.failures.length > 0) {",
        tests: cluster("observePd"),
    },
    {
        name: "the repair of a PD that cannot start restarts running pods",
        file: "provider/lifecycle/walks/rollout.ts",
        find: "isStale(view) && view.pod?.trouble !== undefined && isStopped(view)",
        replace: "isStale(view)",
        tests: lifecycle("pdUpgrade", "pdEvidence"),
    },
    {
        name: "pods of PD that cannot start are recreated all at once",
        file: "provider/lifecycle/walks/rollout.ts",
        find: "    if (begun) {\n        return undefined;\n    }\n    const dead",
        replace: "    void begun;\n    const dead",
        tests: lifecycle("pdUpgrade", "pdEvidence"),
    },
];
