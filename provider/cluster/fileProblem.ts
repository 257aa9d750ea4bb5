/** What Node's codes of file errors mean to a user, and what to do. */
const problems: Readonly<Record<string, string>> = {
    ENOENT: "does not exist; check the path",
    EISDIR: "is a folder, not a file; name a file in it",
    ENOTDIR: "a part of the path is a file, not a folder; choose another path",
    EACCES: "you have no permission for it; change its permissions, or choose another path",
    EPERM: "the operation is not allowed there; choose another path",
    EROFS: "the file system is read-only; choose another path",
    ENOSPC: "the disk is full; free some space, or choose a path on another disk",
    EDQUOT: "your disk quota is used up; free some space, or choose a path on another disk",
    EEXIST: "a file of this name exists; choose another path",
    ENAMETOOLONG: "the path is too long; choose a shorter one",
    EMFILE: "too many files are open; raise the limit (ulimit -n)",
};

/** Says in words why a file or folder cannot be used, and what to do. */
export function fileProblem(error: unknown): string {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && syscall === "mkdir") {
        return "no folder can be made there; choose another path";
    }
    return problems[code ?? ""] ?? message;
}
