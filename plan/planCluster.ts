import { extraInputs, gatesOf, type PlannedGate } from "../components/gatesOf";
import { locationOf, pdAccessOf } from "../components/gateLocation";
import type { OperationsArgs } from "../components/operations";
import { prerequisiteInputs } from "../components/prerequisiteInputs";
import type { RenderedCluster } from "../components/render";
import type { ClusterAccess } from "../provider/cluster/access";
import type { KubernetesTarget } from "../provider/cluster/kubernetesTarget";
import type { LeaseView } from "../provider/cluster/leaseNotes";
import { planOf } from "../provider/gates/gates";
import type { GateReport } from "../provider/gates/gateDefinition";
import type { ClusterProgramInputs, GateFixedFields, PrerequisiteInputs } from "../provider/gates/inputs";
import { estimateOfGates } from "../provider/lifecycle/walks/planReport";
import { warnedRisks } from "../provider/lifecycle/walks/warnedRisks";
import { type Notice, noticesOf } from "../provider/lifecycle/vocabulary/notices";
import { revisionWith } from "../provider/lifecycle/vocabulary/spread";
import { type ClusterOwner, describeRefusals } from "../provider/lifecycle/vocabulary/ownership";
import type { ClusterPlan, PlanDeferral, PlanEstimate, PlanRefusal } from "./clusterPlan";
import { planEntries } from "./planEntries";
import { firstDeploymentNote } from "./planWords";
import { withoutForeseen } from "../provider/lifecycle/walks/describePlan";
import { gates } from "../topology/gates";
import { memberName } from "../topology/names";
import { lastInputs } from "./lastUpdate";
import { type GateTrace, traceOf } from "./traceOfPlan";
import type { PlanSources } from "./planSources";

/** What a program passes to a TidbCluster beside the manifest. */
export interface PlanSettings {
    readonly access: ClusterAccess;
    readonly operations?: OperationsArgs;
    /** `pd.address` of the program. Default: a port-forward. */
    readonly pdAddress?: string;
    /** Whether the plan has the dry runs of its gates. Default: false. */
    readonly traces?: boolean;
}

/** What one gate reported. */
interface GateFinding {
    readonly gate: PlannedGate;
    readonly report: GateReport;
}

/**
 * Plans a cluster: asks each gate, in their order, what it would do with the live cluster. Changes nothing.
 *
 * A file has no stack, so the plan is made as if by the stack that owns the cluster.
 *
 * @throws KubernetesApiError or ClusterAccessError if the Lease cannot be read, GateError if PD is another cluster's.
 */
export async function planCluster(
    cluster: RenderedCluster,
    settings: PlanSettings,
    sources: PlanSources,
): Promise<ClusterPlan> {
    const { manifest } = cluster;
    const { access, operations, pdAddress, traces = false } = settings;
    const shared = { ...locationOf(manifest), access, pd: pdAccessOf(manifest, pdAddress), statusUrn: "" };
    const { kubernetes } = sources;
    const ports = await sources.world.open({ ...shared, leaseUid: "", gate: "" }, "check");
    const lease = await ports.lease();
    const owned = ownership(shared, lease);
    const prerequisites: PrerequisiteInputs = {
        ...prerequisiteInputs(cluster, operations),
        // A program may create the namespace, and whoever reads the plan is often not the one who runs the update.
        namespaceMaker: "maybe",
        mayGrant: true,
        sharesUser: false,
        plansOnly: true,
    };
    const warnings: Notice[] = [];
    const findings: GateFinding[] = [];
    for (const gate of gatesOf(cluster, operations)) {
        const isPaused = manifest.spec.paused === true && !gates[gate.gate].actsWhilePaused;
        const news = {
            ...shared,
            leaseUid: lease?.uid,
            ...withScaleGate(gate, findings),
            ...extraInputs(gate.gate, { ...owned, prerequisites }),
            ...(isPaused ? { paused: true } : {}),
            gate: gate.gate,
        };
        const live = { cluster, lease, ports, sources };
        const olds = await lastInputs(gate, live, (notice) => warnings.push(notice));
        findings.push({ gate, report: await planOf(olds, news, sources.world) });
    }
    const about = { ...shared, isPaused: manifest.spec.paused === true };
    const plan = assembled(about, kubernetes, lease, warnings, findings);
    return traces ? { ...plan, traces: findings.flatMap(traceOfGate) } : plan;
}

function traceOfGate({ gate, report: { foreseen } }: GateFinding): GateTrace[] {
    return (foreseen ?? []).map((run) => traceOf(gate.name, run));
}

/** Returns a gate's inputs. As in a program, the template of a RolloutGate has the constraints that the ScaleGate chose. */
function withScaleGate(
    { gate, component, inputs }: PlannedGate,
    findings: readonly GateFinding[],
): PlannedGate["inputs"] {
    const scale = findings.find((found) => found.gate.gate === "scale" && found.gate.component === component);
    const { spread } = (scale?.report.inputs.fixed ?? {}) as Partial<GateFixedFields>;
    return gate !== "rollout" || spread === undefined
        ? inputs
        : { ...inputs, templateRevision: revisionWith(inputs.templateRevision as string, spread) };
}

/** Under which names and by whom the cluster is deployed. A cluster that nobody owns gets its owner from the next update. */
function ownership(
    { cluster, namespace }: { cluster: string; namespace: string },
    lease: LeaseView | undefined,
): Pick<ClusterProgramInputs, "owner" | "deployed"> {
    const unknown: ClusterOwner = { stack: "the stack that deploys it", urn: "", name: cluster, namespace };
    return { owner: lease?.owner ?? unknown, deployed: { name: cluster, namespace } };
}

function assembled(
    { cluster, namespace, isPaused }: { cluster: string; namespace: string; isPaused: boolean },
    kubernetes: KubernetesTarget,
    lease: LeaseView | undefined,
    warnings: readonly Notice[],
    findings: readonly GateFinding[],
): ClusterPlan {
    const refusals = refusalsOf(findings);
    // The update is refused as a whole: the steps of its other gates are not taken either.
    const entries =
        refusals.length > 0
            ? []
            : findings.flatMap(({ gate, report }, index) => {
                  const earlier = findings.slice(0, index).flatMap((one) => one.report.plan);
                  return planEntries(gate, withoutForeseen(report.plan, earlier));
              });
    const steps = entries.flatMap(({ type, step }) => (type === "step" && step ? [step] : []));
    const { owner } = lease ?? {};
    return {
        name: cluster,
        namespace,
        kubernetes,
        isDeployed: lease !== undefined,
        isPaused,
        owner: owner === undefined ? null : { stack: owner.stack, urn: owner.urn },
        refusals,
        deferred: deferrals(findings),
        warnings: eachOnce([...warnings, ...findings.flatMap(warningsOf)]),
        remarks: [
            ...remarksOf(findings, cluster),
            ...noticesOf("first-deployment", lease === undefined ? firstDeploymentNote(namespace, cluster) : undefined),
        ],
        risks: warnedRisks(findings.map(({ report }) => report)),
        entries,
        estimateSeconds: steps.reduce((sum, { estimateSeconds }) => sum + estimateSeconds, 0),
        estimate: refusals.length > 0 ? null : estimated(findings),
    };
}

/** Each gate of a paused cluster says what it withholds. In a preview this is on its own line. */
function warningsOf({ gate, report: { warnings } }: GateFinding): Notice[] {
    return warnings.map(({ code, message }) => ({
        code,
        message: code === "paused" ? `${gate.name}: ${message}` : message,
    }));
}

function eachOnce(notices: readonly Notice[]): Notice[] {
    return [...new Map(notices.map((notice) => [notice.message, notice])).values()];
}

/** A remark about a member says "its": the members are named before it, as in a preview, and each remark is made once. */
function remarksOf(findings: readonly GateFinding[], cluster: string): Notice[] {
    const all = findings.flatMap(({ gate, report: { remarks = [] } }) =>
        remarks.map((remark) => ({ remark, of: gate.component && memberName(cluster, gate.component) })),
    );
    return eachOnce(all.map(({ remark }) => remark)).map(({ code, message }) => {
        const of = all.flatMap((one) => (one.remark.message === message && one.of ? [one.of] : []));
        return { code, message: [...(of.length === 0 ? [] : [[...new Set(of)].join(", ")]), message].join(": ") };
    });
}

/** What the first gate refuses for the whole cluster, members' gates refuse for themselves: in an update they are not asked any more. */
function refusalsOf(findings: readonly GateFinding[]): PlanRefusal[] {
    const told = findings
        .flatMap(({ gate, report: { refused = [] } }) => (isFirst(gate) ? refused : []))
        .flatMap(({ property }) => property || []);
    return findings.flatMap(({ gate, report: { refused = [] } }) => {
        const isRepeated = !isFirst(gate) && refused.every(({ property }) => told.includes(property));
        return isRepeated || refused.length === 0 ? [] : [{ gate: gate.name, reason: describeRefusals(refused) }];
    });
}

function isFirst({ gate }: PlannedGate): boolean {
    return gates[gate].place === "first";
}

function estimated(findings: readonly GateFinding[]): PlanEstimate | null {
    const gates = findings.map(({ gate, report: { plan, estimate } }) => ({ of: gate.name, plan, estimate }));
    const sum = estimateOfGates(gates);
    return sum === undefined
        ? null
        : {
              seconds: sum.seconds ?? null,
              operations: sum.operations,
              missing: sum.missing.map(({ of, why, ...work }) => ({ gate: of, reason: why, ...work })),
              gates: gates
                  .filter(({ plan, estimate }) => estimate !== undefined || plan.some(({ is }) => is === "step"))
                  .map(({ of, estimate }) => ({ gate: of, seconds: estimate?.known ? estimate.seconds : null })),
          };
}

/** Gates of one cluster are deferred for the same few reasons: each is named once. */
function deferrals(findings: readonly GateFinding[]): PlanDeferral[] {
    const all = findings.flatMap(({ gate, report: { unread, deferral = unread } }) =>
        deferral === undefined ? [] : [{ gate: gate.name, deferral }],
    );
    return eachOnce(all.map(({ deferral }) => deferral)).map(({ code, message }) => ({
        code,
        message,
        gates: all.filter(({ deferral }) => deferral.message === message).map(({ gate }) => gate),
    }));
}
