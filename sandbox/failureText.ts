import { cacheFolder, cacheVariable } from "./controlPlane/folders";

/** What an error of the file system means for the cache folder. */
const fileProblems: Readonly<Record<string, string>> = {
    EACCES: "this user has no permission for it",
    EDQUOT: "this user's disk quota is used up",
    EISDIR: "a folder is where a file is expected",
    ENOENT: "it cannot be made there",
    ENOSPC: "the disk is full",
    ENOTDIR: "a part of its path is a file",
    EPERM: "the operation is not allowed there",
    EROFS: "the file system is read-only",
};

/** Says in one line why a command failed. An error of the file system is one of the cache folder, the only folder that is written to. */
export function failureText(error: unknown, cache = cacheFolder()): string {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    const problem = fileProblems[code ?? ""];
    if (problem === undefined || syscall === undefined || syscall.startsWith("spawn")) {
        return error instanceof Error ? message : String(error);
    }
    return `the cache folder ${cache} cannot be used: ${problem}. Make it usable, or set ${cacheVariable} to another folder`;
}
