import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.ts'

/** Where component and system tests take PostgreSQL and Redis from: programs of this machine, or containers. */
const infra =
  process.env.TEST_INFRA === 'containers'
    ? './packages/testing/src/container-infra.ts'
    : './packages/testing/src/embedded-infra.ts'

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,services,infra}/**/src/**/*.test.ts'],
          // they touch nothing and leave nothing behind: what one has loaded serves the next
          isolate: false,
          // some calculate for seconds where the machine is busy
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'component',
          include: ['{packages,services,infra}/*/test/**/*.component.test.ts'],
          globalSetup: infra,
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: infra,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'recovery',
          include: ['test/recovery/**/*.test.ts', 'test/compatibility/**/*.test.ts'],
          globalSetup: infra,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'guards',
          include: ['test/guards/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
})
