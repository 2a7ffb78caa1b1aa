import { type Corpus, readCorpus, type Sample } from './corpus.ts'
import { type Judged, measureMemory, startJudge } from './judges.ts'
import { mutate } from './mutate.ts'
import { type Random, seededRandom } from './random.ts'
import { type Target, targets } from './targets.ts'

export type FuzzSettings = {
  seed: number
  /** The index of the first file, and the number of files. */
  first: number
  files: number
  /** No new file starts after this time. */
  secondsMax: number
  threads: number
  /** How long one file may take. */
  deadlineMs: number
}

export type FuzzedFile = { index: number; sample: string; target: Target; bytes: number } & Judged

export type FuzzReport = {
  judged: number
  counts: Record<string, number>
  slowest: FuzzedFile[]
  violations: FuzzedFile[]
  grownMiB: number
  memoryMiBMax: number
  seconds: number
}

export const judgeMemoryMiBMax = 512
const slowestReportedMax = 3
const violationsMax = 20

/** Checks mutated files in threads. The seed and the index determine a file completely. */
export async function runFuzz(settings: FuzzSettings): Promise<FuzzReport> {
  const corpus = await readCorpus()
  const begun = performance.now()
  const violations: FuzzedFile[] = []
  const counts: Record<string, number> = {}
  let slowest: FuzzedFile[] = []
  let next = settings.first
  let judged = 0

  const isOver = () =>
    next >= settings.first + settings.files ||
    violations.length >= violationsMax ||
    performance.now() - begun > settings.secondsMax * 1000

  async function work(): Promise<void> {
    const judge = startJudge({ deadlineMs: settings.deadlineMs, memoryMiBMax: judgeMemoryMiBMax })
    while (!isOver()) {
      const file = makeFile(corpus, settings.seed, next)
      next += 1
      const found = { ...describe(file), ...(await judge.judge(file)) }
      judged += 1
      const key = `${found.target} ${found.verdict}`
      counts[key] = (counts[key] ?? 0) + 1
      if (found.verdict !== 'accept' && found.verdict !== 'reject') violations.push(found)
      slowest = [...slowest, found]
        .sort((one, other) => other.ms - one.ms)
        .slice(0, slowestReportedMax)
    }
    await judge.close()
  }

  const { grownMiB } = await measureMemory(() =>
    Promise.all(Array.from({ length: settings.threads }, work)),
  )
  return {
    judged,
    counts,
    slowest,
    violations,
    grownMiB,
    memoryMiBMax: settings.threads * judgeMemoryMiBMax,
    seconds: (performance.now() - begun) / 1000,
  }
}

type FuzzFile = {
  index: number
  sample: Sample
  target: Target
  bytes: Uint8Array
  mediaType: Sample['mediaType']
}

export function makeFile(corpus: Corpus, seed: number, index: number): FuzzFile {
  const random = seededRandom(seed, index)
  const sample = pickSample(corpus, random)
  const target = random.pick(Object.keys(targets) as Target[])
  const bytes = mutate(sample.bytes, pickSample(corpus, random).bytes, random)
  return { index, sample, target, bytes, mediaType: sample.mediaType }
}

/** Prefers sound files, because changing a file that is refused anyway rarely finds anything. */
function pickSample({ sound, unsafe, images }: Corpus, random: Random): Sample {
  const kinds = [sound, sound, sound, sound, unsafe, images, images] as const
  return random.pick(random.pick(kinds))
}

function describe({ index, sample, target, bytes }: FuzzFile) {
  return { index, sample: sample.name, target, bytes: bytes.length }
}
