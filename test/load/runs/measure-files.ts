import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Comparison, Figure, Measure } from '../comparison.ts'
import { readMemory, reportMemory, watchMemory } from '../memory.ts'
import { openObjects } from '../open-objects.ts'
import { timed } from '../statistics.ts'
import { atOnce, collectDocuments, readList } from './collect-documents.ts'
import type { FulfilmentSide } from './fulfilment-side.ts'
import { buildRun, claimRun } from './produce-run.ts'
import { type PutLetter, putLetters } from './put-letters.ts'
import { findQpdf, type Qpdf } from './qpdf.ts'
import { seedPrintJobs } from './seed-print-jobs.ts'
import type { Stage } from './stage.ts'

const documentsMax = 2_500
const collectSecondsMax = 10
const mebibyte = 1024 * 1024

/** One fulfilment job whose letters are in the object store, and the paths of its files in the order of the run. */
type Job = {
  batchNumber: string
  streamPath: string
  paths: string[]
  pages: number
  bytes: number
}

/**
 * Downloads the files of a claimed run one by one, and as one print stream. Compares the print stream with a merge by
 * qpdf.
 */
export async function measureFiles(stage: Stage): Promise<Comparison[]> {
  const { ground } = stage
  const job = await makeJob(stage)
  const side = await stage.startAnother()
  const collected = await measureCollecting(stage, side, job)
  const qpdf = await findQpdf(ground.signal)
  const streamed = await measureStream(stage, { side, job, qpdf })
  await side.close()
  const documents = `${job.paths.length.toLocaleString('en-GB')} documents`
  const size = `${documents}, ${job.pages.toLocaleString('en-GB')} pages, ${reportMemory(job.bytes / mebibyte)}`
  return [
    {
      scenario: `list and ${documents}, ${atOnce} at once`,
      rival: '',
      measures: [],
      figures: [
        {
          name: 'seconds',
          ours: collected,
          target: { sense: 'at most', figure: collectSecondsMax },
        },
      ],
      notes: [size],
    },
    {
      scenario: `print stream of ${documents}`,
      rival: qpdf ? `qpdf ${qpdf.version}` : '',
      measures: streamed.measures,
      figures: streamed.figures,
      notes: [
        size,
        streamed.memory,
        ...(qpdf ? [] : ['qpdf is not on the PATH: there is nothing to compare with']),
      ],
    },
  ]
}

async function makeJob({ ground, settings, database, consumer, fulfilment }: Stage): Promise<Job> {
  const count = Math.min(settings.documents, documentsMax)
  ground.tell(`composing ${count} letters`)
  const directory = join(ground.directory, 'letters')
  await mkdir(directory)
  const objects = openObjects(ground.environment)
  const letters = await putLetters(objects, { count, directory }).finally(() => objects.close())
  await seedPrintJobs(database.pool, { consumer, documents: letters })
  const batchNumber = await buildRun(database, count)
  await claimRun(fulfilment, batchNumber)
  const { documents, fulfilmentJobs } = await readList(fulfilment, batchNumber)
  const [job, ...others] = fulfilmentJobs
  if (!job || others.length > 0) throw new Error('The letters are not one fulfilment job')
  const bySha256 = new Map(letters.map((letter) => [letter.sha256, letter]))
  const inOrder = documents.map(({ sha256 }) => bySha256.get(sha256)!)
  return {
    batchNumber,
    streamPath: `/print-runs/${batchNumber}/fulfilment-jobs/${job.fulfilmentJobId}/print-stream.pdf`,
    paths: inOrder.map(({ path }) => path),
    pages: sum(inOrder, ({ pages }) => pages),
    bytes: sum(inOrder, ({ bytes }) => bytes),
  }
}

async function measureCollecting(
  { ground, settings }: Stage,
  side: FulfilmentSide,
  { batchNumber, bytes }: Job,
): Promise<number[]> {
  const seconds: number[] = []
  for (let round = 1; round <= settings.rounds; round++) {
    ground.tell(`collecting documents: round ${round} of ${settings.rounds}`)
    const [taken, collected] = await timed(() => collectDocuments(side, batchNumber))
    if (collected !== bytes) throw new Error('The collected files have other bytes')
    seconds.push(taken)
  }
  return seconds
}

type Streamed = { measures: Measure[]; figures: Figure[]; memory: string }

async function measureStream(
  { ground, settings }: Stage,
  { side, job, qpdf }: { side: FulfilmentSide; job: Job; qpdf: Qpdf | undefined },
): Promise<Streamed> {
  const oursPath = join(ground.directory, 'ours.pdf')
  const theirsPath = join(ground.directory, 'theirs.pdf')
  const stream = () => saveStream(side, job.streamPath, oursPath)
  const merge = async () => qpdf && (await timed(() => qpdf.merge(job.paths, theirsPath)))[0]
  const rate = (seconds: number) => job.pages / seconds

  const before = await readMemory(side.program.pid)
  const first = watchMemory(side.program.pid)
  ground.tell('print stream: warming up')
  await stream()
  const warm = first.stop().mebibytesMax
  const pages = await qpdf?.countPages(oursPath)
  if (pages !== undefined && pages !== job.pages) {
    throw new Error(`The print stream has ${pages} pages, not ${job.pages}`)
  }
  await merge()

  const later = watchMemory(side.program.pid)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 1; round <= settings.rounds; round++) {
    ground.tell(`print stream: round ${round} of ${settings.rounds}`)
    const early = round % 2 === 0 ? await merge() : undefined
    ours.push(rate((await timed(stream))[0]))
    const taken = early ?? (await merge())
    if (taken !== undefined) theirs.push(rate(taken))
  }
  const most = later.stop().mebibytesMax
  const pagesPerSecond = { name: 'pages/s', ours }
  return {
    measures: qpdf ? [{ ...pagesPerSecond, theirs }] : [],
    figures: qpdf ? [] : [pagesPerSecond],
    memory: `memory of the process: ${reportMemory(before)} before, ${reportMemory(warm)} at most in the first stream, ${reportMemory(most)} in later ones`,
  }
}

async function saveStream({ get }: FulfilmentSide, path: string, to: string): Promise<void> {
  const { statusCode, body } = await get(path)
  if (statusCode !== 200) throw new Error(`The print stream was answered with ${statusCode}`)
  await pipeline(body, createWriteStream(to))
}

function sum(letters: readonly PutLetter[], of: (letter: PutLetter) => number): number {
  return letters.reduce((total, letter) => total + of(letter), 0)
}
