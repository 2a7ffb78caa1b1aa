import type { Database } from '@despatch/store/database'
import type { Settings } from '../command-line.ts'
import type { Comparison, Figure } from '../comparison.ts'
import { openCosts } from '../cost.ts'
import { type Ground, withDatabase } from '../ground.ts'
import { measureSide, type SideResult } from '../pipeline/measure-pipeline.ts'
import { openSender, pipelineSide, type Sender, startService } from '../pipeline/our-pipeline.ts'
import type { Program } from '../program.ts'
import { shuffled } from '../shuffled.ts'
import { timed } from '../statistics.ts'
import { onePage, type TemplateLetter, threePages } from './letters.ts'
import { fromPdf, fromTemplate, type Loop, startBareLoop, startPrinting } from './sides.ts'

/** A browser takes so long for a letter that it gets fewer of them in a round. */
const browserLettersMax = 20
/** The share of a round's letters that a warm-up uses. */
const warmUpShare = 0.3
const targets = { bareLoop: 0.6, browser: 20, cpuMsPerPage: 8 }

type Bench = { ground: Ground; settings: Settings; database: Database; pipeline: Program }
type Senders = { ofTemplates: Sender; ofPdfs: Sender }

/**
 * Measures letters from templates, from accepted to PENDING: against the same letters as PDF files, a bare loop of the
 * compiler and a headless browser.
 */
export function measureTemplates(ground: Ground, settings: Settings): Promise<Comparison[]> {
  return withDatabase(ground, { connectionsMax: 2 }, async (database) => {
    const senders = {
      ofTemplates: await openSender(ground, database, 'templates'),
      ofPdfs: await openSender(ground, database, 'pdfs'),
    }
    // as a template has it
    await database.pool.query(
      `update contract set address_placement = 'first-page' where id = $1`,
      [senders.ofPdfs.contractId],
    )
    const pipeline = await startService(ground, settings, {
      DESPATCH_COMPOSE_THREADS: String(settings.threads),
    })
    const bench = { ground, settings, database, pipeline }
    const comparisons: Comparison[] = []
    for (const letter of [onePage, threePages]) {
      comparisons.push(...(await measureLetter(bench, senders, letter)))
    }
    return comparisons
  })
}

async function measureLetter(
  bench: Bench,
  senders: Senders,
  letter: TemplateLetter,
): Promise<Comparison[]> {
  const { ground, settings, database, pipeline } = bench
  const { letters, rounds } = settings
  await using parts = new AsyncDisposableStack()
  let firstNumber = 1
  const take = (count: number) => {
    firstNumber += count
    return firstNumber - count
  }
  const readCosts = await openCosts(database.pool, {
    pipeline: pipeline.pid,
    'object store': ground.objectStore.pid,
    ...(ground.redis && { Redis: ground.redis.pid }),
  })
  const throughPipeline = (name: string, make: Awaited<ReturnType<typeof fromTemplate>>) => {
    const makeLetters = (count: number) => make(take(count), count)
    const side = pipelineSide(database, { name, program: pipeline, makeLetters })
    return (count: number) => measureSide(bench, { side, letters: count, readCosts })
  }
  const inLoop = (name: string, loop: Loop, countMax: number) => async (count: number) => {
    const looped = Math.min(count, countMax)
    const [seconds] = await timed(() => loop(take(looped), looped))
    ground.tell(`  ${name}: ${(looped / seconds).toFixed(1)} letters/s`)
    return looped / seconds
  }
  const print = await startPrinting(parts, settings, letter)
  const ours = throughPipeline(
    'from a template',
    await fromTemplate(database, senders.ofTemplates, letter),
  )
  const asPdf = throughPipeline('as PDF', await fromPdf(ground, senders.ofPdfs, letter))
  const bare = inLoop('bare loop', await startBareLoop(ground, settings, letter), letters)
  const browser = print && inLoop('browser', print, browserLettersMax)

  const results = {
    ours: [] as SideResult[],
    asPdf: [] as SideResult[],
    bare: [] as number[],
    browser: [] as number[],
  }
  const runs = [
    async (count: number) => void results.ours.push(await ours(count)),
    async (count: number) => void results.asPdf.push(await asPdf(count)),
    async (count: number) => void results.bare.push(await bare(count)),
    ...(browser ? [async (count: number) => void results.browser.push(await browser(count))] : []),
  ]
  ground.tell(`${letter.name}: warming up`)
  for (const run of runs) await run(Math.ceil(letters * warmUpShare))
  for (const list of Object.values(results)) list.length = 0
  for (let round = 1; round <= rounds; round++) {
    ground.tell(`${letter.name}: round ${round} of ${rounds}`)
    for (const run of shuffled(runs)) await run(letters)
  }
  return describe(letter, settings, results)
}

function describe(
  letter: TemplateLetter,
  { threads, letters }: Settings,
  results: { ours: SideResult[]; asPdf: SideResult[]; bare: number[]; browser: number[] },
): Comparison[] {
  const scenario = `letters of ${letter.name} from a template, accepted to PENDING, ${letters} letters`
  const rate = ({ jobsPerSecond }: SideResult) => jobsPerSecond
  const against = (rival: string, theirs: readonly number[], ratio?: number): Comparison => ({
    scenario,
    rival,
    measures: [
      {
        name: 'letters/s',
        ours: results.ours.map(rate),
        theirs,
        ...(ratio !== undefined && { target: { sense: 'at least', ratio } }),
      },
    ],
    notes: [],
  })
  const perLetter = against('the same letters as PDF files', results.asPdf.map(rate))
  const cpuMs = ({ cost }: SideResult) => cost.cpuMs.pipeline!
  return [
    {
      scenario,
      rival: '',
      measures: [],
      figures: cpuPerPage(results.ours, letter.pages),
      notes: [],
    },
    {
      ...perLetter,
      measures: [
        ...perLetter.measures,
        {
          name: 'CPU ms per letter, pipeline',
          ours: results.ours.map(cpuMs),
          theirs: results.asPdf.map(cpuMs),
        },
      ],
    },
    against(`a bare loop of the compiler in ${threads} processes`, results.bare, targets.bareLoop),
    ...(results.browser.length > 0
      ? [against(`a headless browser, ${threads} pages at once`, results.browser, targets.browser)]
      : [{ scenario, rival: 'a headless browser', measures: [], notes: ['none is installed'] }]),
  ]
}

/** The pipeline's processor time contains that of the processes that typeset, which are its children. */
export function cpuPerPage(results: readonly Pick<SideResult, 'cost'>[], pages: number): Figure[] {
  return Object.keys(results[0]!.cost.cpuMs).map((process) => ({
    name: `CPU ms per page, ${process}`,
    ours: results.map(({ cost }) => cost.cpuMs[process]! / pages),
    ...(process === 'pipeline' && {
      target: { sense: 'at most', figure: targets.cpuMsPerPage },
    }),
  }))
}
