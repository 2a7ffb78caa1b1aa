import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that take longer than the others, the longest first. Most of that time is waiting. */
const longestFiles: readonly string[] = [
  'test/e2e/guides-can-be-pasted.test.ts',
  'test/e2e/the-console.test.ts',
  'services/pipeline/test/outages.component.test.ts',
  'infra/cli/test/conformance/clients.component.test.ts',
  'test/e2e/nothing-leaks.test.ts',
  'test/e2e/a-dead-callback-is-sent-again.test.ts',
  'infra/demo/test/demo.component.test.ts',
  'test/e2e/start-and-stop.test.ts',
  'test/e2e/secret-key-is-changed.test.ts',
  'test/recovery/each-callback-arrives.test.ts',
  'test/e2e/clients.test.ts',
  'test/e2e/a-long-lived-client.test.ts',
  'test/e2e/two-of-every-service.test.ts',
  'services/callbacks/test/service.component.test.ts',
  'test/e2e/a-letter-is-despatched.test.ts',
  'test/recovery/embedded/the-disk-is-full.test.ts',
  'test/recovery/database-away.test.ts',
  'test/e2e/services-open-and-close.test.ts',
  'packages/embedded/test/postgres.component.test.ts',
  'test/recovery/a-restore.test.ts',
  'services/thirdparty-access/test/change-api-key.component.test.ts',
  'test/e2e/a-print-run-is-closed.test.ts',
  'test/e2e/the-contract-is-fuzzed.test.ts',
  'test/e2e/uat-scenarios.test.ts',
  'test/recovery/provider-loop/claims.test.ts',
  'services/pipeline/test/silent-peers.component.test.ts',
  'services/fulfilment/test/file-drop-crashes.component.test.ts',
  'test/e2e/ten-tasks-in-the-console.test.ts',
  'test/compatibility/the-previous-release-works.test.ts',
  'test/recovery/provider-loop/under-fire.test.ts',
  'test/recovery/provider-loop/reports.test.ts',
  'packages/object-store/test/object-store.component.test.ts',
  'services/thirdparty-access/test/sign-in-locks.component.test.ts',
  'services/callbacks/test/hostile-receiver.component.test.ts',
  'packages/http/test/connections.component.test.ts',
  'test/recovery/provider-loop/work-elsewhere.test.ts',
  'services/pipeline/test/pipeline.component.test.ts',
  'infra/cli/test/despatch.component.test.ts',
]

/** Starts with the longest files, whatever their project. Otherwise the run would end with waiting for one of them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = new Map(
      longestFiles.map((file, rank) => [join(this.ctx.config.root, file), rank]),
    )
    const rank = ({ moduleId }: TestSpecification) => rankOf.get(moduleId) ?? longestFiles.length
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}
