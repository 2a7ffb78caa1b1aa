import type { TestProject } from 'vitest/node'

/**
 * Provides the servers of this run to the tests of the previous release, with databases made by the newest migrations.
 */
export default function provideInfra(project: TestProject): void {
  project.provide('infra', JSON.parse(process.env.DESPATCH_TEST_INFRA ?? ''))
}
