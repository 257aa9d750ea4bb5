/** The contents of a project. */
export interface ProjectOptions {
    /** Name of the TidbCluster. */
    readonly cluster: string;
    /** Namespace of the cluster. */
    readonly namespace: string;
    /** Name of the stack that its README creates. */
    readonly stack: string;
    /** The text of the program. */
    readonly program: string;
    /** Version ranges of the packages that the program needs, by name. */
    readonly dependencies: Readonly<Record<string, string>>;
    /** Version ranges of the packages that run its TypeScript, by name. */
    readonly devDependencies: Readonly<Record<string, string>>;
}

/** Returns the files of a Pulumi project that deploys a cluster: file name to text. */
export function projectFiles({
    cluster,
    namespace,
    stack,
    program,
    ...packages
}: ProjectOptions): Record<string, string> {
    const name = `tidb-${cluster}`;
    return {
        "Pulumi.yaml": `name: ${name}
description: The TiDB cluster ${cluster}
runtime: nodejs
config:
  kubernetes:enableConfigMapMutable: true # changes ConfigMaps in place instead of replacing them
`,
        "package.json": json({ name, private: true, main: "index.ts", ...packages }),
        "tsconfig.json": json({
            "ts-node": { transpileOnly: true },
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

This project deploys the TiDB cluster ${cluster} in the namespace ${namespace}, which must exist. Set \`KUBECONFIG\`
to a kubeconfig of the Kubernetes cluster, then run:

\`\`\`sh
npm install
pulumi login
pulumi stack init ${stack}
pulumi preview
pulumi up
\`\`\`

\`pulumi login\` uses the Pulumi Cloud. To keep the state on this machine instead, run \`pulumi login --local\` and set
\`PULUMI_CONFIG_PASSPHRASE\` to a password of your choice, which encrypts the stack's secrets.

To change the cluster, edit \`index.ts\` and run \`pulumi up\` again. The preview shows each step before it runs.

Pulumi runs \`index.ts\` without checking its types (\`transpileOnly\` in \`tsconfig.json\`), which saves about 3 seconds of CPU
each time. Editors check them; in CI, run \`npx tsc --noEmit\`.
`,
    };
}

function json(value: object): string {
    return `${JSON.stringify(value, null, 2)}\n`;
}
