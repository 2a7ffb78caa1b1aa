import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readCorpus } from './corpus.ts'
import { type FuzzedFile, type FuzzReport, makeFile, runFuzz } from './run-fuzz.ts'

const usage = `npm run fuzz -- [flags]

  --files N     files to judge (10000)
  --seed N      which files they are (1)
  --seconds S   begin no file after so long (540)
  --threads N   files judged at the same time (2)
  --only I      judge the file of this index alone
  --write PATH  write the file of --only there, and do not judge it
`

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '540' },
    threads: { type: 'string', default: '2' },
    only: { type: 'string' },
    write: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
const seed = wholeNumber('seed', values.seed)
const only = values.only === undefined ? undefined : wholeNumber('only', values.only)
if (only !== undefined && values.write) {
  writeFileSync(values.write, makeFile(await readCorpus(), seed, only).bytes)
  process.exit(0)
}
const report = await runFuzz({
  seed,
  first: only ?? 0,
  files: only === undefined ? wholeNumber('files', values.files) : 1,
  secondsMax: wholeNumber('seconds', values.seconds),
  threads: wholeNumber('threads', values.threads),
  deadlineMs: 10_000,
})
process.stdout.write(render(report))
process.exit(report.violations.length === 0 && isWithinMemory(report) ? 0 : 1)

function isWithinMemory({ grownMiB, memoryMiBMax }: FuzzReport): boolean {
  return grownMiB <= memoryMiBMax
}

function render(told: FuzzReport): string {
  const { judged, counts, slowest, violations, grownMiB, memoryMiBMax, seconds } = told
  const lines = [
    `${judged} files of seed ${seed} in ${seconds.toFixed(0)} s`,
    ...Object.entries(counts)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([key, count]) => `  ${key}: ${count}`),
    `most memory above the beginning: ${grownMiB.toFixed(0)} MiB of ${memoryMiBMax}${isWithinMemory(told) ? '' : ' - TOO MUCH'}`,
    'slowest:',
    ...slowest.map((file) => `  ${describeFile(file)}`),
    ...violations.flatMap((file) => [
      `VIOLATION ${describeFile(file)}`,
      ...(file.told ?? '')
        .split('\n')
        .slice(0, 8)
        .map((line) => `    ${line}`),
      `  again: npm run fuzz -- --seed ${seed} --only ${file.index}`,
    ]),
    violations.length === 0
      ? 'every verdict is accept or reject'
      : `${violations.length} violations`,
  ]
  return `${lines.join('\n')}\n`
}

function describeFile({ index, sample, target, bytes, verdict, ms }: FuzzedFile): string {
  return `#${index} ${verdict} by ${target} in ${ms.toFixed(0)} ms: ${sample}, ${bytes} bytes`
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  process.stderr.write(`--${name} must be a whole number\n\n${usage}`)
  process.exit(1)
}
