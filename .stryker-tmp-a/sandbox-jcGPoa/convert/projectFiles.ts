/** What a project needs beside its program. */
export interface ProjectOptions {
    /** Name of the TidbCluster. */
    readonly cluster: string;
    /** Namespace that it is deployed into. */
    readonly namespace: string;
    /** The program. */
    readonly program: string;
    /** Versions of the packages that the program needs, by name. */
    readonly dependencies: Readonly<Record<string, string>>;
}

/** The files of a Pulumi project that deploys a cluster: file name to text. */
export function projectFiles({ cluster, namespace, program, dependencies }: ProjectOptions): Record<string, string> {
    const name = `tidb-${cluster}`;
    return {
        "Pulumi.yaml": `name: ${name}\ndescription: The TiDB cluster ${cluster}\nruntime: nodejs\n`,
        "package.json": json({ name, private: true, main: "index.ts", dependencies }),
        "tsconfig.json": json({
            compilerOptions: {
                target: "ES2022",
                module: "node16",
                moduleResolution: "node16",
                strict: true,
                skipLibCheck: true,
                noEmit: true,
            },
            files: ["index.ts"],
        }),
        "index.ts": program,
        "README.md": `# ${name}

The TiDB cluster ${cluster}, in the namespace ${namespace}, which has to exist. With a kubeconfig of the Kubernetes
cluster in \`KUBECONFIG\`:

\`\`\`sh
npm install
pulumi stack init dev
pulumi preview --diff
pulumi up
\`\`\`

To change the cluster, edit \`index.ts\` and run \`pulumi up\` again: the preview shows each step before it is taken.
`,
    };
}

function json(value: object): string {
    return `${JSON.stringify(value, null, 2)}\n`;
}
