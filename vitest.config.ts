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

/**
 * Suites that only the full loop runs: faults of what a service depends on, starts of whole programs, conformance, and
 * the quality of rankings. Each asks for much processor time, and each rule that it proves has a cheaper test in the
 * landing loop too, or can break only where its own files change.
 */
const extensive = [
  'infra/cli/test/{conformance/*,provider-conformance,process}.component.test.ts',
  'infra/containers/test/prepare.component.test.ts',
  'infra/demo/test/demo.component.test.ts',
  'infra/standalone/test/{provide-user,unreleased-database}.component.test.ts',
  'packages/composer/test/composers.component.test.ts',
  'packages/documents/test/{corpus/corpus,fuzz}.component.test.ts',
  'packages/embedded/test/{object-store-main,postgres}.component.test.ts',
  'packages/store/test/driver-search-time.component.test.ts',
  'packages/testing/test/{iam-tokens,redis-sentinel,redis-tls,tls}.component.test.ts',
  'packages/virus-scanner/test/faults.component.test.ts',
  'services/administration/test/late-print-jobs.component.test.ts',
  'services/callbacks/test/{closing,silent-database}.component.test.ts',
  'services/driver-find/test/name-{quality,ranking}.component.test.ts',
  'services/fulfilment/test/{file-drop-crashes,hostile-input,storm}.component.test.ts',
  'services/full-driver-enquiry/test/test-environment.component.test.ts',
  'services/ops-console/test/{live-feed,many-print-jobs}.component.test.ts',
  'services/pipeline/test/{closing,outages,process-priority,removal-faults,silent-peers,unstored-documents}.component.test.ts',
  'services/provider-simulator/test/{crash,failure-rates}.component.test.ts',
]

/** Suites that kill processes at random for a minute. `npm run test-faults` runs them, with `lost-replies`. */
const underFire = [
  'test/recovery/provider-loop/under-fire.test.ts',
  'test/recovery/each-callback-arrives.test.ts',
]

/** The end-to-end tests of the landing loop: what each kind of user does most. */
const journeys = [
  'a-letter-is-despatched',
  'a-long-lived-client',
  'a-refusal-shows-why',
  'a-print-run-is-closed',
  'a-dead-callback-is-sent-again',
  'nothing-leaks',
  'start-and-stop',
  'ten-tasks-in-the-console',
].map((name) => `test/e2e/${name}.test.ts`)

const smoke = 'test/recovery/harness/the-smoke-of-faults.test.ts'

/**
 * For a machine on which each thing takes ten times as long as alone. Only a test that hangs waits so long. A failed test
 * says how long it had no processor.
 */
const patience = {
  setupFiles: ['./scripts/note-starvation.ts'],
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}
/** Suites of one service or package, with real servers. */
const component = {
  isolate: false,
  globalSetup: infra,
  ...patience,
  setupFiles: [
    ...patience.setupFiles,
    './packages/testing/src/cheap-cryptography.ts',
    './packages/testing/src/keep-threads.ts',
    './packages/testing/src/fail-on-denied.ts',
  ],
}
/** Node loads what is tested, as in production, and keeps what it has compiled for the next suite. */
const native = { viteModuleRunner: false, nodeLoader: false }
const morePatience = { ...patience, testTimeout: 240_000, hookTimeout: 240_000 }
/** A whole Despatch, used as its users do. */
const endToEnd = {
  isolate: false,
  globalSetup: [infra, './test/stack/provide-despatch.ts'],
  ...morePatience,
}

export default defineConfig({
  test: {
    experimental: native,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,services,infra}/**/{src,public}/**/*.test.ts'],
          // they touch nothing and leave nothing behind: what one has loaded serves the next
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'component',
          include: [
            '{packages,services,infra}/*/test/**/*.component.test.ts',
            'test/contract/*.component.test.ts',
          ],
          exclude: extensive,
          ...component,
        },
      },
      {
        test: {
          name: 'extensive',
          include: extensive,
          ...component,
        },
      },
      {
        test: {
          // What only a clock and the size of a process show. One file at a time, with nothing beside it.
          name: 'timed',
          include: ['{packages,services,infra}/*/test/**/*.timed.test.ts'],
          fileParallelism: false,
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
          provide: { losesReplies: true },
          ...component,
        },
      },
      {
        test: {
          name: 'journeys',
          include: journeys,
          ...endToEnd,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: journeys,
          // `services-open-and-close` replaces modules
          experimental: { viteModuleRunner: true },
          ...endToEnd,
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
          include: ['test/{guards,stack}/**/*.test.ts'],
          // what one has read of the tree serves the next
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          // Guards that run other tools for many seconds: the model checker, the site generator, promtool, Helm, a JDK.
          name: 'tools',
          include: ['test/{tools,model}/**/*.test.ts'],
          isolate: false,
          ...patience,
        },
      },
    ],
  },
})
