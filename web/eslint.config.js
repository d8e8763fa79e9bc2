import tseslint from "typescript-eslint";

// What the page agent may not name: it works in documents alone and talks to
// nobody; its host does that.
const outside = [
  "chrome", "browser", "fetch", "XMLHttpRequest", "WebSocket", "EventSource", "localStorage", "sessionStorage", "indexedDB",
  "caches", "navigator", "setTimeout", "setInterval", "setImmediate", "requestAnimationFrame", "requestIdleCallback",
  "IntersectionObserver", "eval", "Function", "alert", "confirm", "prompt", "open", "postMessage",
];

// What changes with a window is asked of it: the agent may be made by the code
// of another one.
const changing = ["globalThis", "self", "innerWidth", "innerHeight", "scrollX", "scrollY", "devicePixelRatio", "getSelection", "getComputedStyle"];

export default tseslint.config(
  { ignores: ["node_modules/**", "eslint.config.js", "**/*.gen.js"] },
  ...tseslint.configs.recommended,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unnecessary-condition": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "off",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/ban-ts-comment": ["error", { "ts-expect-error": true }],
      "eqeqeq": "error",
      "no-console": "error",
      "max-lines": ["error", { max: 400 }],
    },
  },
  {
    files: ["agent/**/*.ts"],
    rules: {
      "no-restricted-globals": ["error", ...outside, ...changing],
      "no-restricted-imports": ["error", { patterns: [{ regex: "^(?!\\./|\\.\\./shared/)", message: "the page agent imports only itself and web/shared" }] }],
    },
  },
  {
    files: ["modelcontext/**/*.ts"],
    rules: {
      "no-restricted-globals": ["error", ...outside.filter((g) => g !== "navigator"), "globalThis", "self"],
      "no-restricted-imports": ["error", { patterns: [{ regex: "^(?!\\./|\\.\\./shared/)", message: "the script of the page's world imports only itself and web/shared" }] }],
    },
  },
  {
    files: ["extension/**/*.ts"],
    rules: {
      "no-restricted-globals": ["error", "eval", "chrome", "browser", "localStorage", "sessionStorage", "XMLHttpRequest"],
      "no-restricted-imports": ["error", { patterns: [{ regex: "^(?!\\./|\\.\\./[a-z]|\\.\\./\\.\\./(shared/|agent/kept$))", message: "the extension imports only itself and web/shared" }] }],
    },
  },
  {
    files: ["extension/content/**/*.ts"],
    rules: { "no-restricted-globals": ["error", "eval", "chrome", "browser", "localStorage", "sessionStorage", "fetch", "XMLHttpRequest", "WebSocket", "EventSource"] },
  },
  { files: ["**/*.gen.ts"], rules: { "max-lines": "off" } },
  {
    files: ["shared/**/*.ts"],
    rules: {
      "no-restricted-globals": ["error", ...outside.filter((g) => g !== "Function"), ...changing],
      "no-restricted-imports": ["error", { patterns: [{ regex: "^(?!\\./)", message: "web/shared imports only itself" }] }],
    },
  },
);
