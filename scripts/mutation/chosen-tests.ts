import { defineConfig } from 'vitest/config'

/**
 * The tests that the run of mutations asks for, without those that try a model for seconds: a rule has a test of its own. A
 * hang ends with the time limit of a mutant, not with that of a test. The copy of the sources is below node_modules, where
 * a process of `end-process.test.ts` cannot run TypeScript.
 */
export default defineConfig({
  test: {
    include: (process.env.MUTATED_TESTS ?? '').split(' '),
    exclude: ['**/*.model.test.ts', '**/end-process.test.ts'],
    setupFiles: ['scripts/mutation/first-failure.ts'],
    testTimeout: 60_000,
  },
})
