/** A flag of tikv-ctl: what its value is, its short name, and its value if it is not given. */
interface CtlFlag {
    readonly kind: "text" | "u64" | "switch";
    readonly short?: string;
    readonly initial?: string;
    readonly required?: true;
}

export type CtlFlags = Readonly<Record<string, CtlFlag>>;

const text = (initial?: string, short?: string): CtlFlag => ({ kind: "text", initial, short });
const u64 = (initial: string, short?: string): CtlFlag => ({ kind: "u64", initial, short });

/** The flags that stand before the command (tikv/tikv cmd/tikv-ctl/src/cmd.rs, v8.5.5). */
export const globalFlags: CtlFlags = {
    ...Object.fromEntries(["pd", "host", "ca-path", "cert-path", "key-path"].map((name) => [name, text()])),
    ...Object.fromEntries(["config", "data-dir"].map((name) => [name, text()])),
    "log-level": text("warn"),
    "log-format": text("text"),
    "skip-paranoid-checks": { kind: "switch" },
};

/** The flags of `tikv-ctl compact-log-backup`. */
export const compactFlags: CtlFlags = {
    name: text("compaction", "n"),
    from: { kind: "u64", required: true },
    until: { kind: "u64", required: true },
    concurrency: u64("32", "N"),
    "storage-base64": { kind: "text", short: "s", required: true },
    compression: text("lz4"),
    "compression-level": { kind: "text" },
    "force-regenerate": { kind: "switch" },
    "minimal-compaction-size": text("16M"),
    "prefetch-running-count": u64("128"),
    "prefetch-buffer-count": u64("1024"),
};
