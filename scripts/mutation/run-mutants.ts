import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { BrokenCopy } from './broken-copy.ts'
import { type Baselines, chooseTests } from './choose-tests.ts'
import { applyMutant, type Mutant } from './find-mutants.ts'
import type { ImportGraph } from './import-graph.ts'
import { readReached } from './reached-ranges.ts'
import type { Baseline, Remembered, Verdict } from './remembered.ts'
import type { Result } from './report.ts'

export type MutationRun = {
  graph: ImportGraph
  /** The tests, and what every test depends on besides what it imports. */
  tests: readonly string[]
  ground: readonly string[]
  /** Files that may have mutants, and those that import them. */
  sources: readonly string[]
  copies: readonly BrokenCopy[]
  /** Mutants of which nothing is known are left out. */
  isKnownOnly: boolean
  signal: AbortSignal
  tell(line: string): void
}

/** A test that is slow to fail, or waits for what does not come, is given up after three times its time and this. */
const limitSeconds = 20
const baselineSecondsMax = 240

/** Runs each test on the unchanged tree, unless it is known. Throws if one fails. */
export async function runBaselines(
  run: MutationRun,
  remembered: Remembered<Baseline>,
): Promise<Baselines> {
  const found = new Map<string, Baseline>()
  const folders = [...new Set(run.sources.map((path) => path.replace(/\/src\/.*/, '/src/')))]
  await eachInCopy(run, run.tests, async (test, copy, place) => {
    const key = proofOf(run, [test])
    const known = remembered.get(key)
    if (known) {
      found.set(test, known)
      return
    }
    const coverage = join(copy.directory, `.reached-${place}`)
    const outcome = await copy.run({ tests: [test], coverage }, baselineSecondsMax)
    if (outcome.kind !== 'passed') {
      const detail = outcome.kind === 'failed' ? outcome.detail : outcome.kind
      throw new Error(`${test} is red without any mutant: ${detail}`)
    }
    const baseline = {
      seconds: outcome.seconds,
      reached: readReached(coverage, copy.directory, folders),
    }
    remembered.set(key, baseline)
    found.set(test, baseline)
    run.tell(`unchanged ${outcome.seconds.toFixed(1).padStart(5)} s  ${test}`)
  })
  return found
}

/** A mutant of the file with this text. */
export type PlacedMutant = { path: string; text: string; mutant: Mutant }

/** Finds the verdict of each mutant. Calls `onResult` with each as soon as it is known. */
export async function runMutants(
  run: MutationRun,
  mutants: readonly PlacedMutant[],
  baselines: Baselines,
  remembered: Remembered<Verdict>,
  onResult: (result: Result, isRemembered: boolean) => void,
): Promise<void> {
  const killsOf = new Map<string, number>()
  await eachInCopy(run, mutants, async ({ path, text, mutant }, copy) => {
    const chosen = chooseTests(path, mutant, baselines, run.graph, run.sources)
    if (chosen.length === 0) {
      onResult({ path, mutant, verdict: { kind: 'unreached' } }, true)
      return
    }
    const name = hash([path, text, mutant.offset, mutant.original, mutant.replacement])
    const known = findVerdict(run, remembered, name, chosen)
    if (known) {
      onResult({ path, mutant, verdict: known }, true)
      return
    }
    if (run.isKnownOnly) return
    // what has killed other mutants of the file is likely to kill this one
    const kills = (test: string) => killsOf.get(`${path} ${test}`) ?? 0
    const tests = chosen.toSorted((one, other) => kills(other) - kills(one))
    const seconds = tests.reduce((sum, test) => sum + baselines.get(test)!.seconds, 0)
    const outcome = await copy.run(
      { tests, changed: { path, text: applyMutant(text, mutant) } },
      limitSeconds + 3 * seconds,
    )
    const verdict = readVerdict(outcome)
    if (verdict.kind === 'killed') killsOf.set(`${path} ${verdict.by}`, kills(verdict.by) + 1)
    // a kill stands as long as the test that made it
    const proof = proofOf(run, verdict.kind === 'killed' && verdict.by ? [verdict.by] : chosen)
    remembered.set(`${name} ${proof}`, verdict)
    onResult({ path, mutant, verdict }, false)
  })
}

type Outcome = Awaited<ReturnType<BrokenCopy['run']>>

function readVerdict(outcome: Outcome): Verdict {
  const { seconds } = outcome
  if (outcome.kind === 'passed') return { kind: 'survived', seconds }
  if (outcome.kind === 'timed-out') return { kind: 'timed-out', seconds }
  return { kind: 'killed', by: outcome.test, detail: outcome.detail, seconds }
}

function findVerdict(
  run: MutationRun,
  remembered: Remembered<Verdict>,
  name: string,
  chosen: readonly string[],
): Verdict | undefined {
  for (const proof of [...chosen.map((test) => [test]), chosen]) {
    const known = remembered.get(`${name} ${proofOf(run, proof)}`)
    if (known && (known.kind === 'killed' || proof === chosen)) return known
  }
  return undefined
}

function proofOf({ graph, ground }: MutationRun, tests: readonly string[]): string {
  return hash([...tests, ...ground].toSorted().map((path) => graph.hashOf(path)))
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Does the work on each item, in as many copies at once as there are. */
async function eachInCopy<Item>(
  { copies, signal }: Pick<MutationRun, 'copies' | 'signal'>,
  items: readonly Item[],
  work: (item: Item, copy: BrokenCopy, place: number) => Promise<void>,
): Promise<void> {
  let next = 0
  await Promise.all(
    copies.map(async (copy) => {
      while (next < items.length) {
        signal.throwIfAborted()
        const place = next++
        await work(items[place]!, copy, place)
      }
    }),
  )
}
