import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longest-first.ts'

/** Where component and system tests take PostgreSQL and Redis from: embedded, containers, or given addresses. */
const infra = `./packages/testing/src/${process.env.TEST_INFRA ?? 'embedded'}-infra.ts`

/** Suites that write nothing, or nothing that a shorter one does not write too. A new suite is in, unless it is named here. */
const onlyReadOrSlow = [
  // publishing takes up where it broke off, a minute later; outages cut connections by themselves
  '{record-sets,outages}',
  // these take long, and others write the same
  '{bulk-action-runner,reseal,queues}',
  '{get,list,validate,hostile,file-drop,fulfilment-job,callbacks-leak,report-volumes}*',
  '{storm,manifest,whoami,traced-calls,another-provider,replayed-item-events}',
  '{callback-params,extended-view,purged-print-job,usage-limits}',
  '{authenticate,authenticate-caller,change-password,tokens,expiry-warnings,sign-in-locks,request-recovery-code}',
  '{export-evidence,letters,rights,roles,override-address-races,post-on-behalf-late-reports,consumer-usage}',
]

/** Suites that assert how long something takes, or how much of a processor it gets. */
const measured = [
  'packages/{composer,documents}/test/*.component.test.ts',
  'services/administration/test/bulk-action-runner.component.test.ts',
  'services/callbacks/test/{hostile-receiver,service}.component.test.ts',
  'services/fulfilment/test/replayed-item-events.component.test.ts',
  'services/ops-console/test/many-print-jobs.component.test.ts',
  'services/pipeline/test/{batches,closing,quarantine}.component.test.ts',
  'services/print-request/test/fairness.component.test.ts',
  'services/thirdparty-access/test/tokens.component.test.ts',
]

/** Suites that kill processes at random for a minute. `npm run test-faults` runs them, with `lost-replies`. */
const underFire = [
  'test/recovery/provider-loop/under-fire.test.ts',
  'test/recovery/callbacks/each-callback-arrives.test.ts',
]

/** It starts every service twice, and would take the processors from all tests beside it. */
const smoke = 'test/recovery/harness/the-smoke-of-faults.test.ts'

/** For a machine on which each thing takes ten times as long as alone. Only a test that hangs waits so long. */
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}
const morePatience = { ...patience, testTimeout: 240_000, hookTimeout: 240_000 }

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,services,infra}/**/src/**/*.test.ts', 'test/load/**/*.test.ts'],
          // they touch nothing and leave nothing behind: what one has loaded serves the next
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'component',
          isolate: false,
          include: [
            '{packages,services,infra}/*/test/**/*.component.test.ts',
            'test/contract/*.component.test.ts',
          ],
          exclude: measured,
          globalSetup: infra,
          ...patience,
        },
      },
      {
        test: {
          name: 'measured',
          isolate: false,
          include: measured,
          globalSetup: infra,
          ...patience,
        },
      },
      {
        test: {
          // The suites of operations that write, with the reply to each write of the service lost.
          name: 'lost-replies',
          include: [
            'services/{administration,fulfilment,print-request,thirdparty-access}/test/*.component.test.ts',
            'services/pipeline/test/pipeline.component.test.ts',
            'services/callbacks/test/{deliver,service}.component.test.ts',
          ],
          exclude: [
            'services/print-request/test/fairness.component.test.ts',
            ...onlyReadOrSlow.map((name) => `services/*/test/${name}.component.test.ts`),
          ],
          globalSetup: infra,
          provide: { losesReplies: true },
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'e2e',
          isolate: false,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: infra,
          ...morePatience,
        },
      },
      {
        test: {
          name: 'recovery',
          isolate: false,
          include: ['test/recovery/**/*.test.ts', 'test/compatibility/**/*.test.ts'],
          exclude: [...underFire, smoke],
          globalSetup: infra,
          ...morePatience,
        },
      },
      {
        test: {
          name: 'smoke',
          include: [smoke],
          ...morePatience,
        },
      },
      {
        test: {
          name: 'under-fire',
          include: underFire,
          globalSetup: infra,
          ...morePatience,
        },
      },
      {
        test: {
          name: 'guards',
          include: ['test/{guards,model,fuzz,stack}/**/*.test.ts'],
          // what one has read of the tree serves the next
          isolate: false,
          ...patience,
        },
      },
    ],
  },
})
