// Runs tests of the copy of the tree in which it is started, as its parent asks. One vitest and its servers serve all
// mutants; each run has a new process, which loads the files as they are then.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node'

export type RunRequest = {
  /** Paths from the root, in the order in which they run. */
  tests: readonly string[]
  /** A file that has another text while the tests run. */
  changed?: { path: string; text: string }
  /** A directory for what the tests have reached. */
  coverage?: string
}

export type RunReply =
  | { kind: 'passed' }
  /** No test after this one has run. */
  | { kind: 'failed'; test: string; detail: string }

const root = process.cwd()
let isBroken = false

/** Keeps the order of the request. */
class AsAsked {
  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
  async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

const vitest = await createVitest(
  'test',
  {
    root,
    watch: false,
    project: ['component'],
    bail: 1,
    maxWorkers: 1,
    silent: true,
    sequence: { sequencer: AsAsked },
    reporters: [
      {
        // a failure outside of tests, as in a hook, does not count for `bail`
        onTestModuleEnd: (module: TestModule) => {
          if (module.ok() || isBroken) return
          isBroken = true
          void vitest.cancelCurrentRun('test-failure')
        },
      },
    ],
  },
  { cacheDir: join(root, '.vite') },
)
const project = vitest.projects.find(({ name }) => name === 'component')!

async function run({ tests, changed, coverage }: RunRequest): Promise<RunReply> {
  const path = changed && join(root, changed.path)
  const original = path && readFileSync(path)
  if (path) writeFileSync(path, changed.text)
  if (coverage) setCoverage(coverage)
  isBroken = false
  try {
    vitest.state.filesMap.clear()
    const specifications = tests.map((test) => project.createSpecification(join(root, test)))
    const result = await vitest.runTestSpecifications(specifications)
    // waits for the end of the process, which then has written what it reached
    if (coverage) await vitest.cancelCurrentRun('keyboard-input')
    return readReply(result)
  } finally {
    if (path) writeFileSync(path, original!)
    if (coverage) setCoverage(undefined)
  }
}

/**
 * A process writes what it reached when it exits, and vitest stops its processes with SIGTERM. Cached code has lost the
 * places that are counted.
 */
function setCoverage(directory: string | undefined): void {
  const exit = encodeURIComponent("process.on('SIGTERM', () => process.exit())")
  const settings = {
    NODE_V8_COVERAGE: directory,
    NODE_OPTIONS: `--import=data:text/javascript,${exit}`,
    NODE_DISABLE_COMPILE_CACHE: '1',
  }
  for (const [name, value] of Object.entries(settings)) {
    if (directory) process.env[name] = value
    else delete process.env[name]
  }
}

function readReply({
  testModules,
  unhandledErrors,
}: Awaited<ReturnType<typeof vitest.runTestSpecifications>>): RunReply {
  const failed = testModules.find((module) => module.state() === 'failed')
  if (failed) {
    const tests = [...failed.children.allTests('failed')]
    const errors = [...failed.errors(), ...tests.flatMap((test) => test.result().errors ?? [])]
    const detail = [tests[0]?.name, errors[0]?.message].filter(Boolean).join(': ')
    return { kind: 'failed', test: failed.relativeModuleId, detail }
  }
  const [error] = unhandledErrors as Error[]
  if (error) return { kind: 'failed', test: '', detail: error.message }
  const unfinished = testModules.find(
    (module) => module.state() !== 'passed' && module.state() !== 'skipped',
  )
  if (unfinished)
    return { kind: 'failed', test: unfinished.relativeModuleId, detail: 'it did not end' }
  return { kind: 'passed' }
}

process.on('message', (request: RunRequest) => {
  void run(request).then(
    (reply) => process.send!(reply),
    (error: Error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
const stop = async () => {
  await vitest.close()
  process.exit()
}
process.once('SIGTERM', () => void stop())
process.once('disconnect', () => void stop())
process.send!({ kind: 'ready' })
