import type { CommandContext } from '../command-context.ts'

type Reading = { rows: number; rejected: number; bytes: number }

/** Shows the progress of an import. */
export type ImportProgress = { show(reading: Reading): void; end(): void }

type Options = Pick<CommandContext, 'canDraw' | 'note'> & {
  bytesTotal: number
  /** The row where the import continues. Earlier rows do not count towards the rate. */
  rowsBefore: number
  isQuiet: boolean
  now?: () => number
}

const noteEveryMs = 10_000

/** Shows a bar on a terminal, a line every ten seconds elsewhere, and nothing if `isQuiet`. */
export async function showImport(options: Options): Promise<ImportProgress> {
  if (options.isQuiet) return { show() {}, end() {} }
  return options.canDraw ? drawBar(options) : noteLines(options)
}

async function drawBar({
  bytesTotal,
  rowsBefore,
  now = () => performance.now(),
}: Options): Promise<ImportProgress> {
  const { default: progress } = await import('cli-progress')
  const bar = new progress.SingleBar(
    {
      format:
        '{bar} {percentage}% | {rows} rows | {rate} rows/s | {rejected} rejected | {left} left',
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    progress.Presets.shades_classic,
  )
  const startedAt = now()
  bar.start(Math.max(bytesTotal, 1), 0, { rows: 0, rate: 0, rejected: 0, left: '…' })
  return {
    show: (reading) => {
      const pace = paceOf({ ...reading, bytesTotal, rowsBefore, elapsedMs: now() - startedAt })
      bar.update(reading.bytes, {
        rows: count(reading.rows),
        rejected: count(reading.rejected),
        rate: count(pace.rowsPerSecond),
        left: pace.left,
      })
    },
    end: () => bar.stop(),
  }
}

function noteLines({
  bytesTotal,
  rowsBefore,
  note,
  now = () => performance.now(),
}: Options): ImportProgress {
  const startedAt = now()
  let notedAt = startedAt
  return {
    show: (reading) => {
      if (now() - notedAt < noteEveryMs) return
      notedAt = now()
      const pace = paceOf({ ...reading, bytesTotal, rowsBefore, elapsedMs: now() - startedAt })
      note(
        `${pace.percent}% | ${count(reading.rows)} rows | ${count(pace.rowsPerSecond)} rows/s | ` +
          `${count(reading.rejected)} rejected | ${pace.left} left`,
      )
    },
    end() {},
  }
}

type Pace = { rowsPerSecond: number; percent: number; left: string }
type Measured = Reading & { bytesTotal: number; rowsBefore: number; elapsedMs: number }

/** Returns the rate and the remaining time, from the rows and bytes read in this run. */
export function paceOf({ rows, bytes, bytesTotal, rowsBefore, elapsedMs }: Measured): Pace {
  const seconds = Math.max(elapsedMs, 1) / 1000
  const share = bytesTotal === 0 ? 1 : Math.min(bytes / bytesTotal, 1)
  const rowsPerSecond = Math.max(rows - rowsBefore, 0) / seconds
  const rowsTotal = share === 0 ? 0 : rows / share
  const secondsLeft = rowsPerSecond === 0 ? Number.NaN : (rowsTotal - rows) / rowsPerSecond
  return {
    rowsPerSecond: Math.round(rowsPerSecond),
    percent: Math.floor(share * 100),
    left: renderSeconds(secondsLeft),
  }
}

function renderSeconds(seconds: number): string {
  if (Number.isNaN(seconds)) return '…'
  const whole = Math.ceil(seconds)
  const minutes = Math.floor(whole / 60)
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}

function count(number: number): string {
  return number.toLocaleString('en-GB')
}
