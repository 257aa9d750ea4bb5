import { Counter, Gauge, type Registry } from "prom-client";
import type { ClusterName } from "../../provider/cluster/controllerCalls";

/** An object that drifted. */
interface Drifted {
    readonly cluster?: ClusterName;
    readonly change: "deleted" | "edited";
}

/** What the controller tells Prometheus of drift. Without a program nothing is told. */
export class DriftMetrics {
    private readonly objects: Gauge;
    private readonly lastLook: Gauge;
    private readonly looks: Counter;
    private readonly repairs: Counter;

    constructor(registry: Registry) {
        const registers = [registry];
        this.objects = new Gauge({
            name: "pulumi_tidb_drifted_objects",
            help: "objects of the program that somebody deleted or edited; those of no cluster have empty labels",
            labelNames: ["stack", "namespace", "cluster", "change"],
            registers,
        });
        this.lastLook = new Gauge({
            name: "pulumi_tidb_drift_last_look_timestamp_seconds",
            help: "when the program was last compared with its objects successfully, in seconds since 1970",
            labelNames: ["stack"],
            registers,
        });
        this.looks = new Counter({
            name: "pulumi_tidb_drift_looks_total",
            help: "comparisons of the program with its objects, by result: success or failure",
            labelNames: ["stack", "result"],
            registers,
        });
        this.repairs = new Counter({
            name: "pulumi_tidb_drift_repairs_total",
            help: "repairs of what drifted, by result: success, failure or refused",
            labelNames: ["stack", "result"],
            registers,
        });
    }

    looked(stack: string, atSeconds: number): void {
        this.looks.inc({ stack, result: "success" });
        this.lastLook.set({ stack }, atSeconds);
    }

    failed(stack: string): void {
        this.looks.inc({ stack, result: "failure" });
    }

    repaired(stack: string, result: "success" | "failure" | "refused"): void {
        this.repairs.inc({ stack, result });
    }

    /** @param clusters those of the program: without drift they have a 0 */
    found(stack: string, objects: readonly Drifted[], clusters: readonly ClusterName[]): void {
        this.objects.reset();
        const none: ClusterName = { namespace: "", cluster: "" };
        for (const cluster of [none, ...clusters]) {
            this.objects.set({ stack, ...cluster, change: "deleted" }, 0);
            this.objects.set({ stack, ...cluster, change: "edited" }, 0);
        }
        for (const { cluster = none, change } of objects) {
            this.objects.inc({ stack, ...cluster, change });
        }
    }

    /** Forgets what drifted, when this controller no longer looks. When it last looked stays, for alerts. */
    rest(): void {
        this.objects.reset();
    }
}
