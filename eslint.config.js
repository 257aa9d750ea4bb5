const tseslint = require("typescript-eslint");

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
    { files: ["**/*.js"], rules: { "@typescript-eslint/no-require-imports": "off" } },
);
