import { profileFlags, type Settings } from '../command-line.ts'
import type { Comparison, Measure } from '../comparison.ts'
import type { Ground } from '../ground.ts'
import type { LoadPlan, LoadResult } from '../intake/load.ts'
import { loadInTurn, type Round, rates } from '../load-in-turn.ts'
import { reportMemory, watchMemory } from '../memory.ts'
import type { Program } from '../program.ts'
import { spread } from '../statistics.ts'
import { judgedBefore, makeLetters, type SampleLetter } from './letters.ts'
import type { Part } from './part-worker.ts'

/** For each thread: enough that no thread waits for its next letter. */
const lettersPerThread = 2
const warmUpSeconds = 1
const partRounds = 2
/** Longer, because each part runs in a new program. */
const partWarmUpSeconds = 3
const mebibyte = 1024 * 1024
/** In the order of the letters: no files, PDF of 3 pages, PDF of 2 MiB, JPEG. */
const targets = {
  composed: [1.2, 0.7, 0.8, 0.65],
  made: [1, 0.2, 0.45, 0.3],
  madeAgain: [0.6, 0.6, 0.6, 0.6],
} as const

/**
 * Compares composing with marks with pdf-lib, which also loads, draws and saves. Also compares documents made as a
 * whole, of files that differ and of files that were judged before, and shows the speed of preflight.
 */
export async function measureDocuments(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const letters = await makeLetters()
  const whole = await startSide(ground, settings)
  const composing = await startSide(ground, settings, 'compose')
  const theirs = await startSide(ground, settings, 'pdf-lib')
  const watches = [whole, composing, theirs].map(({ pid }) => watchMemory(pid))
  const against = (ours: Program) => (name: string) =>
    loadInTurn(ground, settings, ours, {
      name,
      body: name,
      connections: settings.threads * lettersPerThread,
      ours: { load: ours, body: name },
      theirs: { load: theirs, body: name },
      warmUpSeconds,
    })
  const composed = await measureEach(letters, {
    what: 'composed with marks',
    targets: targets.composed,
    load: against(composing),
  })
  const made = await measureEach(letters, {
    what: 'judged and composed',
    targets: targets.made,
    load: against(whole),
  })
  const madeAgain = await measureEach(letters, {
    what: 'composed, its files judged before',
    targets: targets.madeAgain,
    load: (name) => against(whole)(judgedBefore(name)),
  })
  const [ofWhole, ofComposing, ofTheirs] = watches.map((watch) =>
    reportMemory(watch.stop().mebibytesMax),
  )
  await Promise.all([whole, composing, theirs].map((side) => side.stop()))
  return [
    {
      scenario: `${settings.threads} threads, letters/s`,
      rival: 'pdf-lib alone',
      measures: [...composed, ...made, ...madeAgain],
      notes: [
        `memory at most: ${ofWhole} judging and composing, ${ofComposing} composing, ${ofTheirs} pdf-lib's`,
        ...(await reportParts(ground, settings, letters)),
      ],
    },
  ]
}

async function measureEach(
  letters: readonly SampleLetter[],
  {
    what,
    targets,
    load,
  }: { what: string; targets: readonly number[]; load: (name: string) => Promise<Round[]> },
): Promise<Measure[]> {
  const measures: Measure[] = []
  for (const [index, { name }] of letters.entries()) {
    const target = { sense: 'at least', ratio: targets[index]! } as const
    measures.push({ ...rates(await load(name)), name: `${name}, ${what}`, target })
  }
  return measures
}

function startSide(ground: Ground, settings: Settings, part?: Part): Promise<Program> {
  return ground.start('test/load/documents/documents-main.ts', {
    environment: { THREADS: String(settings.threads), ...(part && { PART: part }) },
    nodeFlags: part ? [] : profileFlags(settings),
  })
}

async function reportParts(
  ground: Ground,
  settings: Settings,
  letters: readonly SampleLetter[],
): Promise<string[]> {
  const pdfs = letters.filter(({ files }) => files[0]?.mediaType === 'application/pdf')
  const unmarked = await measurePart(ground, settings, 'compose-unmarked', letters)
  const inspected = await measurePart(ground, settings, 'inspect', pdfs)
  const safe = await measurePart(ground, settings, 'inspect-pdf', pdfs)
  const throughput = (rates: Rates) =>
    pdfs.map((letter) => `${letter.name} ${speed(letter, rates)}`).join(', ')
  return [
    `composed without marks, letters/s: ${listRates(unmarked)}`,
    `preflight of files and pages: ${throughput(inspected)}`,
    `preflight of files alone: ${throughput(safe)}`,
  ]
}

type Rates = ReadonlyMap<string, number>

/** Returns letters per second, by the letter's name. */
async function measurePart(
  { tell, signal, ...ground }: Ground,
  settings: Settings,
  part: Part,
  letters: readonly SampleLetter[],
): Promise<Rates> {
  const program = await startSide({ tell, signal, ...ground }, settings, part)
  const rates = new Map<string, number>()
  let firstNumber = 1
  async function run(name: string, loadSeconds: number): Promise<number> {
    const plan = {
      body: name,
      connections: settings.threads * lettersPerThread,
      seconds: loadSeconds,
      requestsMax: 1_000_000,
      firstNumber,
    } satisfies Omit<LoadPlan, 'origin' | 'path' | 'headers'>
    const { requests, seconds, refusals } = await program.ask<LoadResult>(plan, signal)
    if (Object.keys(refusals).length > 0) throw new Error(`${part}: ${name} is not as it should be`)
    firstNumber += requests
    return requests / seconds
  }
  for (const { name } of letters) {
    tell(`${part}: ${name}`)
    await run(name, rates.size === 0 ? partWarmUpSeconds : warmUpSeconds)
    const figures: number[] = []
    for (let round = 0; round < partRounds; round++) {
      figures.push(await run(name, settings.seconds))
    }
    rates.set(name, spread(figures).median)
  }
  await program.stop()
  return rates
}

function listRates(rates: Rates): string {
  return [...rates].map(([name, rate]) => `${name} ${Math.round(rate)}`).join(', ')
}

function speed({ name, files, pages }: SampleLetter, rates: Rates): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  const rate = rates.get(name)!
  return `${((bytes * rate) / mebibyte).toFixed(1)} MiB/s (${Math.round((pages - 1) * rate)} pages/s)`
}
