import tseslint from 'typescript-eslint';

/** The rooms of src/, lowest first. One imports itself and those before it; see the test of this rule in test/unit. */
const withoutVscode = ['base', 'protocol', 'server', 'relay', 'context', 'tools', 'records', 'agent'];
const features = [
  'sharing',
  'proposals',
  'notebooks',
  'sessions',
  'documents',
  'editorTools',
  'changes',
  'mentions',
  'comments',
  'doctor',
  'chat',
  'past',
];
const rooms = [...withoutVscode, 'editor', ...features, 'api', 'ui'];
const pure = new Set(['base', 'protocol']);

/** The one module that starts processes; see the test of this rule beside that of the layers. */
const door = 'src/server/childProcesses.ts';
const processModules = ['child_process', 'node:child_process', 'cluster', 'node:cluster'].map((name) => ({
  name,
  message: `Processes are started in ${door} only.`,
}));

const roomRules = rooms.map((room, index) => ({
  files: [`src/${room}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: [
          ...processModules,
          ...(withoutVscode.includes(room)
            ? [{ name: 'vscode', message: `src/${room} does not know VS Code.` }]
            : []),
        ],
        patterns: [
          ...rooms.slice(index + 1).map((above) => ({
            regex: `^\\.\\./${above}/`,
            message: `Imports go downwards only: src/${room} may not import src/${above}.`,
          })),
          ...(pure.has(room)
            ? [{ regex: '^(node:|ws$)', message: `src/${room} is pure: no Node modules.` }]
            : []),
        ],
      },
    ],
  },
}));

/** What writes to a terminal, of which one module knows when it may. */
const terminals = 'src/editor/terminalInput.ts';
const writesToTerminal = [
  "CallExpression[callee.property.name='sendText']",
  "CallExpression[callee.property.name='executeCommand']:not([callee.object.property.name='commands'])",
  'Literal[value=/^workbench.action.terminal.(sendSequence|sendSignal|paste|run)/]',
].map((selector) => ({ selector, message: `Only ${terminals} writes to terminals.` }));
const importsProcesses = {
  selector: 'ImportExpression[source.value=/^(node:)?(child_process|cluster)$/]',
  message: `Processes are started in ${door} only.`,
};

/** One door to processes, one to terminals; see the tests of these rules in test/unit. */
const doorRules = [
  { files: ['src/*.ts'], rules: { 'no-restricted-imports': ['error', { paths: processModules }] } },
  { files: [door], rules: { 'no-restricted-imports': 'off' } },
  ...[
    { files: ['src/**/*.ts'], forbidden: [...writesToTerminal, importsProcesses] },
    { files: [terminals], forbidden: [importsProcesses] },
    { files: [door], forbidden: writesToTerminal },
  ].map(({ files, forbidden }) => ({ files, rules: { 'no-restricted-syntax': ['error', ...forbidden] } })),
];

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
  ...roomRules,
  ...doorRules,
  { files: ['test/**', 'scripts/**', '*.mjs'], rules: { 'no-console': 'off' } },
  { files: ['**/*.mjs', '**/*.cjs'], extends: [tseslint.configs.disableTypeChecked] },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
