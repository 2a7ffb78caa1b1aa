import { type LetterProgress, statusesOf, statusOf } from '../letter-progress.ts'
import type { Paint } from './paint.ts'

const stages = ['QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED'] as const
const headings = ['Letter to', 'Address', 'Content', 'Status'] as const
const recipientCharactersMin = 12
const columnGap = 2
const statusWidth = stages.length + 1 + 'DESPATCHED'.length
const callbackWidth = 'callback ✓'.length

/** A row for each letter: whom it goes to, what is in it, how far it has come, and whether its consumer was told. */
export function drawLetterTable(
  letters: readonly LetterProgress[],
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  const cells = letters.map(({ letter }) => ({
    recipient: `${letter.number} ${letter.recipientName}`,
    address: letter.addressKind,
    content: letter.content,
  }))
  const addressWidth = widest(cells.map(({ address }) => address))
  const contentWidth = widest(cells.map(({ content }) => content))
  const others = addressWidth + contentWidth + statusWidth + callbackWidth + 4 * columnGap + 1
  const recipientWidth = Math.min(
    widest(cells.map(({ recipient }) => recipient)),
    Math.max(columns - others, recipientCharactersMin),
  )
  const row = ([recipient, address, content]: readonly [string, string, string]) =>
    [fit(recipient, recipientWidth), fit(address, addressWidth), fit(content, contentWidth)].join(
      ' '.repeat(columnGap),
    )
  const left = (text: string) => ` ${text}${' '.repeat(columnGap)}`
  const [first, second, third, status] = headings
  return [
    '',
    paint.dim(cut(left(row([first, second, third])) + status, columns)),
    ...letters.map((progress, index) => {
      const { recipient, address, content } = cells[index]!
      const start = left(row([recipient, address, content]))
      return start.length + statusWidth + columnGap + callbackWidth > columns
        ? cut(`${start}${statusOf(progress) ?? ''}`, columns)
        : start + drawStatus(progress, paint)
    }),
  ]
}

function drawStatus(progress: LetterProgress, paint: Paint): string {
  const status = statusOf(progress) ?? 'to be sent'
  const reached = statusesOf(progress).filter((one) => stages.some((stage) => stage === one)).length
  const isRejected = status === 'REJECTED'
  const isDespatched = status === 'DESPATCHED'
  const style = isRejected ? paint.red : isDespatched ? paint.green : paint.yellow
  const dots =
    style('●'.repeat(reached) + (isRejected ? '✗' : '')) +
    paint.dim('○'.repeat(Math.max(stages.length - reached - (isRejected ? 1 : 0), 0)))
  const told = progress.callbacks.length > 0 ? paint.green('callback ✓') : ''
  return `${dots} ${style(status.padEnd('DESPATCHED'.length))}${' '.repeat(columnGap)}${told}`.trimEnd()
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length))
}

function fit(text: string, width: number): string {
  return cut(text, width).padEnd(width)
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(width - 1, 0))}…` : text
}
