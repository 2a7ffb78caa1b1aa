// Breaks the SQL of the store and of the work engine in one place after another, in a copy of this tree, and runs the
// tests that reach the place. A mutant that survives shows a rule that no test of theirs checks.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { scratchFolder } from '../../packages/testing/src/scratch-folder.ts'
import { listFiles } from '../list-files.ts'
import { createCopy } from './broken-copy.ts'
import { findMutants } from './find-mutants.ts'
import { createImportGraph } from './import-graph.ts'
import { type Baseline, openRemembered, type Verdict } from './remembered.ts'
import { type Result, renderReport, renderResult } from './report.ts'
import { runBaselines, runMutants } from './run-mutants.ts'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const cache = join(root, 'node_modules/.cache/mutation')
const reportFile = 'dist/sql-mutants.txt'
const copiesAtOnce = 2

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    shard: { type: 'string', default: '1/1' },
    tests: { type: 'string', multiple: true, default: ['packages/store/test/', 'packages/work/'] },
    kind: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    known: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})

const files = listFiles()
const sources = files.filter((path) =>
  /^packages\/(store|work)\/src\/.*(?<!\.test)\.ts$/.test(path),
)
const [shard = 1, shards = 1] = flags.shard.split('/').map(Number)
const mutants = sources
  .filter((path) => flags.only.some((part) => path.includes(part)))
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return findMutants(text).map((mutant) => ({ path, text, mutant }))
  })
  .filter(({ mutant }) => flags.kind.length === 0 || flags.kind.includes(mutant.kind))
  .filter((_, place) => place % shards === shard - 1)
// timed suites and those of the full loop are in other projects of vitest
const tests = files.filter(
  (path) =>
    path.endsWith('.component.test.ts') &&
    flags.tests.some((part) => path.startsWith(part)) &&
    !path.includes('driver-search-time'),
)

if (flags.list) {
  for (const { path, mutant } of mutants) {
    console.log(renderResult({ path, mutant, verdict: { kind: 'unreached' } }))
  }
} else {
  process.exitCode = await run()
}

async function run(): Promise<number> {
  const folder = mkdtempSync(join(scratchFolder(), 'sql-mutants-'))
  chmodSync(folder, 0o711)
  const stopping = new AbortController()
  const { signal } = stopping
  const copies = await Promise.all(Array.from({ length: copiesAtOnce }, () => createCopy(folder)))
  const end = async () => {
    await Promise.all(copies.map((copy) => copy.close()))
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  const stop = () => {
    stopping.abort()
    void end().then(() => process.exit(130))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)

  const results: Result[] = []
  try {
    const ground = files.filter((path) =>
      /^packages\/store\/(schema|migrations)\/|^package-lock\.json$|^vitest\.config\.ts$|-infra\.ts$/.test(
        path,
      ),
    )
    const tell = (line: string) => console.log(line)
    // of a copy, and before a mutant is in it: the tree may change while this runs
    const graph = createImportGraph(copies[0]!.directory)
    for (const path of [...sources, ...tests, ...ground]) graph.hashOf(path)
    const given = { isKnownOnly: flags.known, graph, tests, ground, sources, copies, signal, tell }
    const baselines = await runBaselines(
      given,
      openRemembered<Baseline>(join(cache, 'baselines.jsonl')),
    )
    const remembered = openRemembered<Verdict>(join(cache, 'sql.jsonl'))
    let count = 0
    await runMutants(given, mutants, baselines, remembered, (result, isRemembered) => {
      results.push(result)
      count += 1
      if (isRemembered || result.verdict.kind === 'unreached') return
      const seconds = result.verdict.seconds.toFixed(1).padStart(5)
      tell(`${count}/${mutants.length} ${seconds} s  ${renderResult(result)}`)
    })
  } catch (error) {
    if (signal.aborted) return 130
    console.error((error as Error).message)
    return 1
  } finally {
    if (!signal.aborted) await end()
  }
  const order = new Map(mutants.map(({ mutant }, place) => [mutant, place]))
  results.sort((one, other) => order.get(one.mutant)! - order.get(other.mutant)!)
  const report = renderReport(results)
  console.log(`\n${report}`)
  if (flags.write) {
    mkdirSync(join(root, 'dist'), { recursive: true })
    writeFileSync(join(root, reportFile), report)
    console.log(`Written to ${reportFile}`)
  }
  return 0
}
