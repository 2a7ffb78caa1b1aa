import { type LetterProgress, statusesOf, statusOf } from '../letter-progress.ts'
import type { Paint } from './paint.ts'

type Column = { heading: string; cells: string[]; width: number }

const stages = ['QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED'] as const
const statusWordWidth = 'DESPATCHED'.length
const deliveredMark = 'callback ✓'
const statusWidth = stages.length + 1 + statusWordWidth + 2 + deliveredMark.length
const recipientWidthMin = 12
const gap = '  '
const margin = ' '

/**
 * Draws a row for each letter: recipient, content, progress, and whether its consumer was called. A narrow terminal
 * gets fewer columns.
 */
export function drawLetterTable(
  letters: readonly LetterProgress[],
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  const descriptions = describe(letters, columns)
  const row = (texts: readonly string[]) =>
    margin + texts.map((text, index) => fit(text, descriptions[index]!.width) + gap).join('')
  return [
    '',
    paint.dim(`${row(descriptions.map(({ heading }) => heading))}Status`),
    ...letters.map(
      (progress, index) =>
        row(descriptions.map(({ cells }) => cells[index]!)) + drawStatus(progress, paint),
    ),
    '',
  ]
}

function describe(letters: readonly LetterProgress[], columns: number): Column[] {
  const recipient = column(
    'Letter to',
    letters.map(({ letter }) => `${letter.number} ${letter.recipientName}`),
  )
  const address = column(
    'Address',
    letters.map(({ letter }) => letter.addressKind),
  )
  const content = column(
    'Content',
    letters.map(({ letter }) => letter.content),
  )
  const free = columns - margin.length - statusWidth
  const fitting = [[address, content], [address], []].find(
    (others) => roomFor(others, free) >= recipientWidthMin,
  )
  const others = fitting ?? []
  const room = Math.max(roomFor(others, free), recipientWidthMin)
  return [{ ...recipient, width: Math.min(recipient.width, room) }, ...others]
}

function column(heading: string, cells: string[]): Column {
  return { heading, cells, width: Math.max(...[heading, ...cells].map((text) => text.length)) }
}

/** Returns the width that the other columns leave for the recipient. */
function roomFor(others: readonly Column[], free: number): number {
  return others.reduce((room, { width }) => room - width - gap.length, free - gap.length)
}

function drawStatus(progress: LetterProgress, paint: Paint): string {
  const status = statusOf(progress) ?? 'to be sent'
  const reached = statusesOf(progress).filter((one) => stages.some((stage) => stage === one)).length
  const isRejected = status === 'REJECTED'
  const style = isRejected ? paint.red : status === 'DESPATCHED' ? paint.green : paint.yellow
  const marks = '●'.repeat(reached) + (isRejected ? '✗' : '')
  const dots = style(marks) + paint.dim('○'.repeat(stages.length - marks.length))
  return progress.callbacks.length > 0
    ? `${dots} ${style(status.padEnd(statusWordWidth))}${gap}${paint.green(deliveredMark)}`
    : `${dots} ${style(status)}`
}

function fit(text: string, width: number): string {
  return (text.length > width ? `${text.slice(0, width - 1)}…` : text).padEnd(width)
}
