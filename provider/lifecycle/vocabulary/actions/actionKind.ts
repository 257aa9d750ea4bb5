import type { Observation } from "../observation";
import type { OperationRecords } from "../operationRecords";
import type { ActionClients } from "./actionClients";

/** A Kubernetes object that an action concerns. */
export interface ActionObject {
    readonly kind: "Pod" | "StatefulSet" | "PersistentVolumeClaim" | "Secret";
    readonly name: string;
    /** Default: that of the object with this name. */
    readonly uid?: string;
}

/** What a step of a plan does with its target, by its main action. A step without one starts a pod, or ends what an earlier run began. */
export type StepKind =
    | "replace"
    | "give-up"
    | "restart"
    | "move"
    | "remove"
    | "empty-volume"
    | "grow"
    | "modify"
    | "renew"
    | "spare"
    | "recreate"
    | "suspend"
    | "recover"
    | "set"
    | "take-back"
    | "label"
    | "start"
    | "wait"
    | "clean-up";

/** A change, as data. */
export interface AnyAction {
    readonly do: string;
}

/** What clients notice of an action: so many leaders of regions move to other stores; or what waits for a moment, in words. */
export type ClientNotice =
    { readonly is: "leaders move"; readonly leaders: number } | { readonly is: "waits"; readonly words: string };

/** One kind of action: its words, what it records, and how it is carried out. */
export interface ActionKind<One> {
    /** Describes the action in progress messages and errors. */
    describe(action: One): string;
    /** Describes it in a step of a plan, which names the pod already. Default: as above; what only keeps records is not shown. */
    inStep?(action: One, pod: string): string | undefined;
    /** The kind of step that it makes of what is done with its pod. Default: it is part of another step. */
    step?(action: One): StepKind;
    /** Identifies the target. The same action on the same target gives the same value, whatever its counts are. */
    on(action: One): string | number;
    /** The objects that it concerns. Default: its pod, its claims or its Secret; otherwise the cluster as a whole. */
    objects?(action: One): readonly ActionObject[];
    /** Returns the records to write before the action, so the next run knows of it even if this one dies. Default: unchanged. */
    before?(records: OperationRecords, action: One, now: number): OperationRecords;
    /** Returns the records to write if PD refuses the action: what it did not take was not begun. Default: unchanged. */
    refused?(records: OperationRecords, action: One): OperationRecords;
    /** Returns the records to write after the action. Default: unchanged. */
    after?(records: OperationRecords, action: One, now: number): OperationRecords;
    /** Returns the cluster once the action has had its effect, except for the records. Default: only they change. */
    foresee?(seen: Observation, action: One): Observation;
    /** How long it takes until it has had its effect in this cluster, by a rule of thumb, in seconds. Default: a moment. */
    seconds?(action: One, seen: Observation): number;
    /** What clients of the cluster notice of it. Default: nothing. */
    clients?(action: One): ClientNotice | undefined;
    /** Carries it out. Default: it changes nothing but the records. */
    perform?(action: One, clients: ActionClients): Promise<void>;
    /** Whether the action only updates this package's own records. Default: false. */
    readonly isBookkeeping?: true;
    /** Whether the log has it although it only keeps records: the steps that follow are a consequence of it. Default: false. */
    readonly isTold?: true;
    /**
     * Whether it records what runs, which nothing else waits for. A run takes it before it stops, and continues without it if
     * the API server refuses it. Default: false.
     */
    readonly isNote?: true;
    /**
     * Whether it may be taken without consent where `operations.approval` asks for it: it ends or undoes what an earlier
     * step began, or only keeps records. Default: never.
     */
    needsNoConsent?(action: One): boolean;
    /**
     * Whether it carries out what the plan removes, as Pulumi does with a StatefulSet's new number of replicas. Consent to it is consent to
     * every step of the plan. Default: false.
     */
    readonly isEndOfPlan?: true;
    /** Whether PD, or the API server, may refuse it without harm: then the run continues without it. Default: false. */
    readonly isOptional?: true;
    /**
     * Whether PD may refuse it for now: then it is tried again until the wait for its effect is over. Default: false.
     * etcd removes no member within 5 s of another one's joining (`StrictReconfigCheck`, server/etcdserver/server.go).
     */
    readonly isTriedAgain?: true;
    /** The wait that starts when the action is taken, however long was waited before. Default: none. */
    readonly beginsWait?: BegunWait;
}

/** The wait for the action's effect, for a pod that takes the place of the deleted one, or until PD has taken raised limits once more. */
export type BegunWait = "its own" | "pod-available" | "limits-raised";

/** The kinds of these actions, each with its file's part of them. */
export type KindsOf<Actions extends AnyAction> = {
    readonly [Do in Actions["do"]]: ActionKind<Extract<Actions, { do: Do }>>;
};

/** A kind of action that only changes the records in the cluster's Lease. */
type RecordKind<One> = Pick<ActionKind<One>, "describe" | "on" | "objects" | "isTold"> &
    Required<Pick<ActionKind<One>, "after">>;

/** @returns the kind: it is carried out by writing the records, and needs no consent. */
export function record<One>(kind: RecordKind<One>): ActionKind<One> {
    return { ...kind, isBookkeeping: true, needsNoConsent: () => true };
}

/** @returns the object of a pod. */
export function podObject(name: string): ActionObject {
    return { kind: "Pod", name };
}

export function namesOf(claims: readonly { name: string }[]): string {
    return claims.map(({ name }) => name).join(", ");
}

export function uidsOf(claims: readonly { uid: string }[]): string {
    return claims.map(({ uid }) => uid).join(" ");
}
