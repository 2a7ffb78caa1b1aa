import { isDeepStrictEqual, styleText } from 'node:util'
import { type Letter, statusesOf, timelines } from './letters.ts'
import type { DemoResult } from './run-demo.ts'
import { print } from './say.ts'

/** Something that the demonstration found, and what it must be. */
type Check = readonly [what: string, found: unknown, expected: unknown]

/** Prints how the demo ended. Returns the number of faults. */
export function printSummary(result: DemoResult, outputDirectory: string): number {
  const { letters, accounts, printed } = result
  const faults = checksOf(result)
    .filter(([, found, expected]) => !isDeepStrictEqual(found, expected))
    .map(([what, ...values]) => `${what}: ${values.map(write).join(' instead of ')}`)
  const total = (outcome: 'expected' | 'despatched' | 'refused' | 'missing') =>
    `${sum(accounts.map((account) => account[outcome]))} ${outcome}`
  const results = [
    `${letters.filter(({ ended }) => ended?.status === 'DESPATCHED').length} letters despatched`,
    ...letters
      .filter(({ end }) => end !== 'posted')
      .map(({ number, ended }) => `letter ${number} rejected, as intended: ${ended?.comment}`),
    `${sum(letters.map(({ callbacks }) => callbacks.length))} callbacks received`,
    `${accounts.length} print runs closed: ${total('expected')}, ${total('despatched')}, ${total('refused')}, ${total('missing')}`,
    `no letter lost, and none of ${printed.length} prints made twice`,
    'a vehicle and a driver found',
  ]
  const mark = (text: string) =>
    faults.length > 0 ? ` · ${text}` : styleText('green', ` ✓ ${text}`)
  print(
    '',
    styleText('bold', ` Done after ${(performance.now() / 1000).toFixed(1)} s`),
    ...results.map(mark),
    ...faults.map((fault) => styleText('red', ` ✗ ${fault}`)),
    '',
    `   Letters             ${outputDirectory}`,
  )
  return faults.length
}

/** What holds if no letter is lost, printed twice or misreported. */
function checksOf({ letters, accounts, printed }: DemoResult): Check[] {
  const inRuns = letters.filter(({ end }) => end !== 'rejected')
  return [
    ...letters.flatMap((letter) => checkLetter(letter, printed)),
    ...accounts.map(
      ({ batchNumber, missing, isBalanced }): Check => [
        `account of print run ${batchNumber}`,
        { missing, isBalanced },
        { missing: 0, isBalanced: true },
      ],
    ),
    ['documents in all print runs', sum(accounts.map(({ expected }) => expected)), inRuns.length],
    ['prints made twice', printed.filter((print, at) => printed.indexOf(print) < at), []],
  ]
}

function checkLetter(letter: Letter, printed: readonly string[]): Check[] {
  const { number, id, end, ended, callbacks } = letter
  const prints = printed.filter((print) => print.startsWith(`${ended?.documentId} `))
  return [
    [`timeline of letter ${number}`, statusesOf(letter).join(' → '), timelines[end]],
    [
      `callbacks of letter ${number}`,
      callbacks.map(({ data }) => [data.jobId, data.jobStatus, data.comment]),
      // The comment of a letter that is posted only has notes of the checks.
      [[id, ended?.status, end === 'posted' ? undefined : ended?.comment]],
    ],
    [`prints of letter ${number}`, prints.length, letter.prints],
  ]
}

function write(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
