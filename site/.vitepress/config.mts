import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A folder's README is its index: `examples/basic/README.md` is shown at `examples/basic/`. */
const asIndex = (path: string) => path.replace(/(^|\/)README\.md(?=#|$)/, "$1index.md");
/** The anchor of a heading, as a Git host makes it: links then work in both places. */
const slugify = (heading: string) =>
    heading
        .toLowerCase()
        .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
        .replaceAll(" ", "-");
const page = (text: string, name: string) => ({ text, link: `/docs/${name}` });

/** The site of the documentation: the Markdown pages of the repository, unchanged. A dead link between them fails the build. */
export default defineConfig({
    title: "pulumi-tidb",
    description: "Pulumi components that deploy and operate TiDB clusters on Kubernetes, without an operator",
    srcDir: root,
    srcExclude: ["**/{node_modules,dist,coverage,site,.*}/**", "tests/**", "**/.*"],
    outDir: join(root, "site", "dist"),
    rewrites: asIndex,
    markdown: {
        anchor: { slugify },
        config: (markdown) => {
            // The links of a page are written for the files. They follow the pages to their place in the site.
            markdown.core.ruler.push("readme-is-index", ({ tokens }) => {
                for (const { children } of tokens) {
                    for (const link of children?.filter(({ type }) => type === "link_open") ?? []) {
                        link.attrSet("href", asIndex(link.attrGet("href") ?? ""));
                    }
                }
            });
        },
    },
    themeConfig: {
        search: { provider: "local" },
        outline: { level: [2, 3] },
        sidebar: [
            {
                text: "Begin",
                items: [
                    { text: "What it is", link: "/" },
                    page("Quick start", "quick-start"),
                    page("Coming from TiDB Operator", "from-tidb-operator"),
                ],
            },
            {
                text: "Deploy",
                items: [
                    page("On a cloud", "deploy"),
                    page("Placement", "placement"),
                    page("Local volumes", "local-volumes"),
                    page("TLS", "tls"),
                    page("Settings", "settings"),
                    page("Initializer", "initializer"),
                    page("Permissions", "permissions"),
                ],
            },
            {
                text: "Operate",
                items: [
                    page("Upgrade and configure", "upgrade"),
                    page("Scale", "scale"),
                    page("Change volumes", "volumes"),
                    page("Status", "status"),
                    page("Diagnose", "diagnose"),
                    page("Timeline", "timeline"),
                    page("Stop, kill and resume", "stop-and-resume"),
                    page("Pause or suspend", "pause-and-suspend"),
                    page("Remove and destroy", "remove-and-destroy"),
                    page("Backup and restore", "backup"),
                    page("Backup schedules", "backup-schedule"),
                    page("From snapshots of volumes", "recovery-from-snapshots"),
                    page("The controller", "controller"),
                    page("Plans on pull requests", "ci"),
                    page("Drift", "drift"),
                    page("Failover", "failover"),
                    page("Regions that lost their majority", "unsafe-recovery"),
                    page("Nodes that are emptied", "nodes"),
                    page("Approval", "approval"),
                    page("Troubleshooting", "troubleshooting"),
                ],
            },
            {
                text: "Test",
                items: [page("Unit tests", "testing"), { text: "The sandbox", link: "/sandbox/" }],
            },
            {
                text: "Look up",
                items: [
                    page("Every field of the spec", "reference/"),
                    page("Command line", "command-line"),
                    page("Supported versions", "supported-versions"),
                    page("Upgrade policy", "upgrade-policy"),
                    { text: "Changelog", link: "/CHANGELOG" },
                ],
            },
            {
                text: "Inside",
                items: [
                    page("Safety", "safety"),
                    page("Differences in the objects", "differences"),
                    page("Architecture", "architecture"),
                    { text: "Contributing", link: "/CONTRIBUTING" },
                    { text: "A first change", link: "/AGENTS" },
                    { text: "Security", link: "/SECURITY" },
                ],
            },
        ],
    },
});
