import { type PropertyMap } from "./values";

/** The interface between the engine and a provider. Inputs and outputs are in clear text unless noted otherwise. */
export interface Provider {
    /**
     * Returns the inputs to keep, and what is wrong with them. `olds` are the inputs in the state, absent for a new
     * resource.
     */
    check(request: { urn: string; type: string; olds?: PropertyMap; news: PropertyMap }): Promise<CheckAnswer>;
    /** Whether new inputs are a change, and whether the change replaces the resource. */
    diff(request: {
        urn: string;
        type: string;
        id: string;
        oldInputs: PropertyMap;
        oldOutputs: PropertyMap;
        news: PropertyMap;
        ignoreChanges: string[];
    }): Promise<DiffAnswer>;
    /**
     * Creates the resource. In a preview, predicts the outputs. @throws PartialFailure if it was created but is not
     * ready
     */
    create(request: { urn: string; type: string; inputs: PropertyMap; preview: boolean }): Promise<CreateAnswer>;
    /** Updates the resource in place. In a preview, predicts the outputs. @throws PartialFailure as in `create` */
    update(request: {
        urn: string;
        type: string;
        id: string;
        oldInputs: PropertyMap;
        oldOutputs: PropertyMap;
        news: PropertyMap;
        ignoreChanges: string[];
        preview: boolean;
    }): Promise<{ outputs: PropertyMap }>;
    /** Deletes the resource. Succeeds if it is already gone. */
    delete(request: {
        urn: string;
        type: string;
        id: string;
        inputs: PropertyMap;
        outputs: PropertyMap;
    }): Promise<void>;
    /** Reads the current resource. Undefined if it is gone. */
    read(request: {
        urn: string;
        type: string;
        id: string;
        inputs: PropertyMap;
        outputs: PropertyMap;
    }): Promise<{ id: string; inputs: PropertyMap; outputs: PropertyMap } | undefined>;
    /** Ends the provider. Resolves when all its output has been passed on. */
    stop?(): Promise<void>;
}

/** The result of checking a program's inputs. */
export interface CheckAnswer {
    inputs: PropertyMap;
    /** The problems, by property. If there are any, the resource is not registered. */
    failures: { property: string; reason: string }[];
}

/** The result of comparing inputs. */
export interface DiffAnswer {
    /** `unknown`: the engine compares the inputs itself. */
    changes: "none" | "some" | "unknown";
    /** The properties that force a replacement. If there are none, the resource is updated in place. */
    replaces: string[];
    /** Whether the old resource must be deleted before the new one is created. */
    deleteBeforeReplace: boolean;
}

/** The result of a creation. */
export interface CreateAnswer {
    /** Absent in a preview. */
    id?: string;
    outputs: PropertyMap;
}

/** The resource was created or updated but is not ready: it is in the state, and the step has failed. */
export class PartialFailure extends Error {
    /** @param reasons the problems, kept in the state as `initErrors` */
    constructor(
        message: string,
        readonly id: string,
        readonly outputs: PropertyMap,
        readonly reasons: string[],
    ) {
        super(message);
    }
}
