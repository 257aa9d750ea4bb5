/**
 * Returns what is wrong with the versions of the two packages; undefined if they fit. The command runs the code of pulumi-tidb, so
 * that its plans are those of the program.
 * @param own the version of pulumi-tidb-cli.
 * @param library the version of pulumi-tidb; undefined if it is not installed.
 */
export function versionProblem(own: string, library: string | undefined): string | undefined {
    if (library === undefined) {
        return `pulumi-tidb is not installed here, and pulumi-tidb-cli needs it. Run: npm install pulumi-tidb@${own}`;
    }
    return library === own
        ? undefined
        : `found pulumi-tidb ${library} and pulumi-tidb-cli ${own}; expected the same version. Run: npm install --save-dev pulumi-tidb-cli@${library}`;
}
