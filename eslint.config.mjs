import tseslint from 'typescript-eslint';

/** The layers of src/, lowest first. A layer imports itself and those before it; see the test of this rule in test/unit. */
const layers = ['base', 'protocol', 'server', 'agent', 'changes', 'context', 'tools', 'editor', 'ui'];
const withVscode = new Set(['editor', 'ui']);
const pure = new Set(['base', 'protocol']);

const layerRules = layers.map((layer, index) => ({
  files: [`src/${layer}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: withVscode.has(layer)
          ? []
          : [{ name: 'vscode', message: `src/${layer} does not know VS Code.` }],
        patterns: [
          ...layers.slice(index + 1).map((above) => ({
            regex: `^\\.\\./${above}/`,
            message: `Imports go downwards only: src/${layer} may not import src/${above}.`,
          })),
          ...(pure.has(layer)
            ? [{ regex: '^(node:|ws$)', message: `src/${layer} is pure: no Node modules.` }]
            : []),
        ],
      },
    ],
  },
}));

/** What writes to a terminal, of which one module knows when it may; see the test of this rule in test/unit. */
const terminalRule = {
  files: ['src/**/*.ts'],
  ignores: ['src/editor/terminalInput.ts'],
  rules: {
    'no-restricted-syntax': [
      'error',
      ...[
        "CallExpression[callee.property.name='sendText']",
        "CallExpression[callee.property.name='executeCommand']:not([callee.object.property.name='commands'])",
        'Literal[value=/^workbench.action.terminal.(sendSequence|sendSignal|paste|run)/]',
      ].map((selector) => ({ selector, message: 'Only src/editor/terminalInput.ts writes to terminals.' })),
    ],
  },
};

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/'] },
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.mjs', '.mocharc.cjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'no-sequences': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
    },
  },
  ...layerRules,
  terminalRule,
  { files: ['test/**', 'scripts/**', '*.mjs'], rules: { 'no-console': 'off' } },
  { files: ['**/*.mjs', '**/*.cjs'], extends: [tseslint.configs.disableTypeChecked] },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
