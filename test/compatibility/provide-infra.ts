import type { TestProject } from 'vitest/node'

/** Gives the tests of the previous release the servers of this run, with databases made by the newest migrations. */
export default function provideInfra(project: TestProject): void {
  project.provide('infra', JSON.parse(process.env.DESPATCH_TEST_INFRA ?? ''))
}
