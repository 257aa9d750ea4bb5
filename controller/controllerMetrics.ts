import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ClusterName } from "../provider/cluster/controllerCalls";
import type { Condition } from "../topology/readyCondition";
import type { StuckReason } from "./stuck";

const ofCluster = ["namespace", "cluster"] as const;
const conditionValues: readonly Condition["status"][] = ["True", "False", "Unknown"];
const stuckReasons: readonly StuckReason[] = ["NobodyWorksOnIt", "RunIsDead", "WaitsForApproval"];

/** What the controller tells Prometheus. Names and labels are a promise to users: docs/controller.md lists them. */
export class ControllerMetrics {
    private readonly registry = new Registry();
    private readonly leader = this.gauge("pulumi_tidb_controller_leader", "1 if this controller leads, else 0", []);
    private readonly condition = this.gauge(
        "pulumi_tidb_cluster_condition",
        "1 for the status that a condition of the cluster has, 0 for the others",
        [...ofCluster, "condition", "status"],
    );
    private readonly stuckGauge = this.gauge(
        "pulumi_tidb_cluster_stuck",
        "1 if the cluster has needed a person for 10 minutes for this reason, else 0",
        [...ofCluster, "reason"],
    );
    private readonly lastLook = this.gauge(
        "pulumi_tidb_cluster_last_look_timestamp_seconds",
        "when the cluster was last looked at successfully, in seconds since 1970",
        ofCluster,
    );
    private readonly looks = new Counter({
        name: "pulumi_tidb_cluster_looks_total",
        help: "looks at the cluster, by result: success or failure",
        labelNames: [...ofCluster, "result"],
        registers: [this.registry],
    });
    private readonly lookSeconds = new Histogram({
        name: "pulumi_tidb_cluster_look_duration_seconds",
        help: "duration of a look at a cluster, in seconds",
        buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
        registers: [this.registry],
    });
    private readonly actions = new Counter({
        name: "pulumi_tidb_cluster_actions_total",
        help: "what the controller did to the cluster, by kind and result: success or failure",
        labelNames: [...ofCluster, "kind", "result"],
        registers: [this.registry],
    });

    private readonly certificate = this.gauge(
        "pulumi_tidb_certificate_expires_timestamp_seconds",
        "when the first certificate of the Secret expires, in seconds since 1970",
        [...ofCluster, "secret"],
    );

    /** @param withProcess whether to add what Node tells of the process: memory, CPU time, delays. */
    constructor(withProcess: boolean) {
        if (withProcess) {
            collectDefaultMetrics({ register: this.registry });
        }
    }

    /** The type of the text, for an HTTP header. */
    get contentType(): string {
        return this.registry.contentType;
    }

    /** Returns everything in Prometheus' text format. */
    text(): Promise<string> {
        return this.registry.metrics();
    }

    leads(isLeader: boolean): void {
        this.leader.set(isLeader ? 1 : 0);
    }

    looked(
        name: ClusterName,
        conditions: readonly Condition[],
        stuck: StuckReason | undefined,
        atSeconds: number,
    ): void {
        const labels = { ...name };
        this.looks.inc({ ...labels, result: "success" });
        this.lastLook.set(labels, atSeconds);
        for (const { type, status } of conditions) {
            for (const value of conditionValues) {
                this.condition.set({ ...labels, condition: type, status: value }, value === status ? 1 : 0);
            }
        }
        for (const reason of stuckReasons) {
            this.stuckGauge.set({ ...labels, reason }, reason === stuck ? 1 : 0);
        }
    }

    lookFailed(name: ClusterName): void {
        this.looks.inc({ ...name, result: "failure" });
    }

    tookSeconds(seconds: number): void {
        this.lookSeconds.observe(seconds);
    }

    acted(name: ClusterName, kind: string, result: "success" | "failure"): void {
        this.actions.inc({ ...name, kind, result });
    }

    /** @param atSeconds when the first certificate of the Secret expires; undefined: not known */
    certificateExpires(name: ClusterName, secret: string, atSeconds: number | undefined): void {
        const labels = { ...name, secret };
        if (atSeconds === undefined) {
            this.certificate.remove(labels);
        } else {
            this.certificate.set(labels, atSeconds);
        }
    }

    /**
     * Forgets the state of a cluster that this controller does not look at now: an old value would be taken for a new one. The
     * time of the last look stays, so an alert can tell that nobody looks any more.
     */
    rest(name: ClusterName): void {
        const labels = { ...name };
        for (const status of conditionValues) {
            this.condition.remove({ ...labels, condition: "Ready", status });
        }
        for (const reason of stuckReasons) {
            this.stuckGauge.remove({ ...labels, reason });
        }
    }

    /** Forgets a cluster that is gone. */
    forget(name: ClusterName): void {
        this.rest(name);
        this.lastLook.remove({ ...name });
    }

    private gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
        return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.registry] });
    }
}
