/** The errors that BR names with a code: the code, and the words that BR says with it (br/pkg/errors/errors.go, v8.5). */
const namedErrors = {
    invalidArgument: ["BR:Common:ErrInvalidArgument", "invalid argument"],
    undefinedDatabaseOrTable: ["BR:Common:ErrUndefinedDbOrTable", "undefined restore databases or tables"],
    versionMismatch: ["BR:Common:ErrVersionMismatch", "version mismatch"],
    pdInvalidResponse: ["BR:PD:ErrPDInvalidResponse", "PD invalid response"],
    notFreshCluster: ["BR:Restore:ErrRestoreNotFreshCluster", "cluster is not fresh"],
    tablesExist: ["BR:Restore:ErrTablesAlreadyExisted", "tables already existed in restored cluster"],
    checksumMismatch: ["BR:Restore:ErrRestoreChecksumMismatch", "restore checksum mismatch"],
    logTaskExists: ["BR:Stream:ErrStreamLogTaskExist", "stream task already exists"],
    taskNotFound: ["BR:PiTR:ErrTaskNotFound", "task not found"],
    unknownTikv: ["BR:KV:ErrKVUnknown", "unknown error occur on tikv"],
    unknownStorage: ["BR:ExternalStorage:ErrStorageUnknown", "unknown external storage error"],
    databasesExist: ["BR:Restore:ErrDatabasesAlreadyExisted", "databases already existed in restored cluster"],
    storageConfig: ["BR:ExternalStorage:ErrStorageInvalidConfig", "invalid external storage config"],
    diskFull: ["BR:KV:ErrKVDiskFull", "disk is full"],
    kvStorage: ["BR:KV:ErrKVStorage", "tikv storage occur I/O error"],
} as const;

/** The name of one of BR's own errors. */
export type BrErrorName = keyof typeof namedErrors;

/** A reason why BR ends with exit code 1. */
export class BrError extends Error {
    /** Whether it is found before the command begins: BR then shows no summary. */
    readonly early: boolean;

    constructor(message: string, options: { early?: boolean } = {}) {
        super(message);
        this.early = options.early ?? false;
    }
}

/** One of BR's own errors, with what it says of this case, as BR writes the two together. */
export function brError(name: BrErrorName, about: string): BrError {
    const [code, words] = namedErrors[name];
    return new BrError(`${about}: [${code}]${words}`);
}

/** An error that BR makes of its command line, before it reads anything else. */
export function usageError(message: string): BrError {
    return new BrError(message, { early: true });
}
