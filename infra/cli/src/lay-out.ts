import { styleText } from 'node:util'
import type { BulkActionState } from '@despatch/domain/bulk-action/bulk-action'
import type { CallbackState } from '@despatch/domain/callback/callback-state'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { PrintRunState, recallStates, reprintStates } from '@despatch/domain/print-run/state'

/** How text is shown to people at a terminal: in colour, and with times relative to now. */
export type Look = { now: () => Date }

/**
 * Aligns the columns of a text, as `renderTable` and `renderFields` write them. Without a look, the text stays plain and
 * its times exact, because a program reads it or a file keeps it.
 */
export function layOut(text: string, look: Look | undefined): string {
  return text
    .replaceAll(/^ {2}.*\t.*(?:\n {2}.*\t.*)*$/gm, (fields) => layOutFields(fields, look))
    .replaceAll(/^.*\t.*(?:\n.*\t.*)*$/gm, (table) => layOutTable(table, look))
}

/** A field has room for a time and its distance. */
function layOutFields(fields: string, look: Look | undefined): string {
  const lines = fields.split('\n').map((line) => line.split('\t') as [string, string])
  const width = Math.max(...lines.map(([name]) => name.length))
  const shown = (name: string, value: string, { now }: Look) => {
    const style = styleOf(name.trim().toUpperCase(), value)
    if (style) return paint(style, value)
    return instantPattern.test(value) ? `${value} (${relative(value, now())})` : value
  }
  return lines
    .map(([name, value]) => `${name.padEnd(width)}  ${look ? shown(name, value, look) : value}`)
    .join('\n')
}

function layOutTable(table: string, look: Look | undefined): string {
  const exact = table.split('\n').map((line) => line.split('\t'))
  const lines = look ? exact.map((line) => line.map((cell) => relative(cell, look.now()))) : exact
  const header = lines[0] ?? []
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => widthOf(line[column] ?? ''))),
  )
  const rendered = lines.map((line, row) =>
    line
      .map((cell, column) => {
        const gap = ' '.repeat((widths[column] ?? 0) - widthOf(cell))
        const style = row === 0 ? 'bold' : styleOf(header[column] ?? '', cell)
        return look && style ? paint(style, cell) + gap : cell + gap
      })
      .join('  ')
      .trimEnd(),
  )
  return rendered.join('\n')
}

type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan'

/** Whether colours are wanted is decided where the look comes from. */
function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false })
}

const columnsInColour = ['STATUS', 'STATE', 'OUTCOME', 'RESULT', 'SEVERITY']

type State =
  | PrintJobStatus
  | PrintRunState
  | CallbackState
  | BulkActionState
  | (typeof recallStates | typeof reprintStates)[number]

/** Green has ended well, cyan is under way, yellow needs attention and red has failed. */
const styleOfState: Readonly<Record<State, Style | undefined>> = {
  QUARANTINE: undefined,
  VALIDATING: 'cyan',
  PENDING: 'cyan',
  PRODUCTION: 'cyan',
  DESPATCHED: 'green',
  REJECTED: 'red',
  OPEN: undefined,
  RELEASED: 'cyan',
  CLAIMED: 'cyan',
  ACCEPTED: 'cyan',
  ACCEPTED_WITH_EXCEPTIONS: 'yellow',
  PARTLY_ACCEPTED: 'yellow',
  REFUSED: 'red',
  IN_PRODUCTION: 'cyan',
  POSTED: 'cyan',
  RECONCILED: 'green',
  CLOSED: 'green',
  VOIDED: undefined,
  WAITING: undefined,
  AUTHORISED: 'cyan',
  DUE: 'cyan',
  DELIVERED: 'green',
  DEAD: 'red',
  PLANNED: undefined,
  EXPIRED: 'yellow',
  RUNNING: 'cyan',
  STOPPED: 'yellow',
  ENDED: 'green',
}

const styleOfWord: Readonly<Record<string, Style | undefined>> = {
  ...styleOfState,
  enabled: 'green',
  disabled: 'yellow',
  paused: 'yellow',
  PASS: 'green',
  FAIL: 'red',
  refusal: 'red',
}

function styleOf(header: string, cell: string): Style | undefined {
  const word = /^\w+/.exec(cell)?.[0] ?? ''
  return columnsInColour.includes(header) && Object.hasOwn(styleOfWord, word)
    ? styleOfWord[word]
    : undefined
}

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const
const distances = new Intl.RelativeTimeFormat('en-GB', { style: 'short' })

/** Returns a time as its distance, such as `3 min ago`, and any other cell as it is. */
function relative(cell: string, now: Date): string {
  if (!instantPattern.test(cell)) return cell
  const seconds = (Date.parse(cell) - now.getTime()) / 1_000
  const found = units.find(([, size]) => Math.abs(seconds) >= size)
  if (!found) return 'now'
  const [unit, size] = found
  return distances.format(Math.trunc(seconds / size), unit)
}

function widthOf(text: string): number {
  return [...text].length
}
