import type { CommandContext } from './command-context.ts'

/** `done` is the part of `total` that is done, in any unit. */
type Reading = { rows: number; rejected: number; done: number }

/** Shows the progress through the rows of a file. */
export type RowProgress = { show(reading: Reading): void; end(): void }

type Options = Pick<CommandContext, 'canDraw' | 'note'> & {
  total: number
  /** The row where the work continues. Earlier rows do not count towards the rate. */
  rowsBefore: number
  isQuiet: boolean
  /** What happens to a row that is not taken. */
  rejectedWord?: string
  now?: () => number
}

const noteEveryMs = 10_000

/** Shows a bar on a terminal, a line every ten seconds elsewhere, and nothing if `isQuiet`. */
export async function showRows(options: Options): Promise<RowProgress> {
  if (options.isQuiet) return { show() {}, end() {} }
  return options.canDraw ? drawBar(options) : noteLines(options)
}

async function drawBar({
  total,
  rowsBefore,
  rejectedWord = 'rejected',
  now = () => performance.now(),
}: Options): Promise<RowProgress> {
  const { default: progress } = await import('cli-progress')
  const bar = new progress.SingleBar(
    {
      format: `{bar} {percentage}% | {rows} rows | {rate} rows/s | {rejected} ${rejectedWord} | {left} left`,
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    progress.Presets.shades_classic,
  )
  const startedAt = now()
  bar.start(Math.max(total, 1), 0, { rows: 0, rate: 0, rejected: 0, left: '…' })
  return {
    show: (reading) => {
      const pace = paceOf({ ...reading, total, rowsBefore, elapsedMs: now() - startedAt })
      bar.update(reading.done, {
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
  total,
  rowsBefore,
  rejectedWord = 'rejected',
  note,
  now = () => performance.now(),
}: Options): RowProgress {
  const startedAt = now()
  let notedAt = startedAt
  return {
    show: (reading) => {
      if (now() - notedAt < noteEveryMs) return
      notedAt = now()
      const pace = paceOf({ ...reading, total, rowsBefore, elapsedMs: now() - startedAt })
      note(
        `${pace.percent}% | ${count(reading.rows)} rows | ${count(pace.rowsPerSecond)} rows/s | ` +
          `${count(reading.rejected)} ${rejectedWord} | ${pace.left} left`,
      )
    },
    end() {},
  }
}

type Pace = { rowsPerSecond: number; percent: number; left: string }
type Measured = Reading & { total: number; rowsBefore: number; elapsedMs: number }

/** Returns the rate and the remaining time, from the rows and done read in this run. */
export function paceOf({ rows, done, total, rowsBefore, elapsedMs }: Measured): Pace {
  const seconds = Math.max(elapsedMs, 1) / 1000
  const share = total === 0 ? 1 : Math.min(done / total, 1)
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
