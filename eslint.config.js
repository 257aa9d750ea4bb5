const tseslint = require("typescript-eslint");

const onlyClient =
    "provider/http/exchange.ts is the only HTTP client of this package: it bounds each exchange, and follows no redirect.";
const clientsOfNode = ["default", "request", "get", "Agent", "ClientRequest", "globalAgent"];
const clients = ["axios", "node-fetch", "undici", "http2", "node:http2"];
const withClients = ["http", "node:http", "https", "node:https"];

module.exports = tseslint.config(
    { ignores: ["**/dist/", "coverage/", ".stryker-tmp/", "**/node_modules/", "eslint.config.js"] },
    ...tseslint.configs.recommended,
    {
        files: ["**/*.ts"],
        languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: __dirname } },
        rules: {
            "@typescript-eslint/no-floating-promises": "error",
            "@typescript-eslint/no-misused-promises": "error",
            "@typescript-eslint/await-thenable": "error",
            "@typescript-eslint/switch-exhaustiveness-check": "error",
            "@typescript-eslint/no-require-imports": "error",
            "@typescript-eslint/consistent-type-imports": [
                "error",
                { fixStyle: "inline-type-imports", disallowTypeAnnotations: false },
            ],
            "@typescript-eslint/consistent-type-exports": "error",
            "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
            "@typescript-eslint/naming-convention": [
                "error",
                { selector: "variable", format: ["camelCase"], leadingUnderscore: "allow" },
                { selector: "variable", modifiers: ["destructured"], format: null },
                { selector: "typeLike", format: ["PascalCase"] },
            ],
            "no-console": "error",
            eqeqeq: "error",
        },
    },
    {
        files: ["bin/**", "sandbox/**", "demo/**", "bench/**", "scripts/**", "tests/**", "examples/**"],
        rules: { "no-console": "off" },
    },
    {
        files: ["{bin,components,controller,convert,plan,provider,status,sweep,testing,topology}/**/*.ts", "index.ts"],
        // The discovery server runs alone in its pod.
        ignores: ["provider/http/**", "components/discovery/server/**"],
        rules: {
            "@typescript-eslint/no-restricted-imports": [
                "error",
                {
                    paths: [
                        ...clients.map((name) => ({ name, message: onlyClient })),
                        ...withClients.map((name) => ({
                            name,
                            importNames: clientsOfNode,
                            allowTypeImports: true,
                            message: onlyClient,
                        })),
                    ],
                },
            ],
            "no-restricted-globals": ["error", { name: "fetch", message: onlyClient }],
        },
    },
    {
        files: ["{bin,components,controller,convert,plan,provider,status,sweep}/**/*.ts"],
        ignores: ["provider/cluster/apiClient.ts"],
        rules: {
            // Without `apiConfiguration` the official client makes its requests with an HTTP client of its own.
            "no-restricted-properties": [
                "error",
                { property: "createConfiguration", message: onlyClient },
                { property: "makeApiClient", message: onlyClient },
            ],
        },
    },
    { files: ["**/*.js"], rules: { "@typescript-eslint/no-require-imports": "off" } },
);
