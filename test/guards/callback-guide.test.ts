import * as operations from '@despatch/contracts/print-request/callback-operations'
import { callbackWebhooks } from '@despatch/contracts/print-request/webhooks'
import { attemptOutcomes } from '@despatch/domain/callback/attempt-outcome'
import {
  callsJudgedMin,
  failureShareMax,
  failuresInRowMax,
  minutesJudged,
  openSeconds,
} from '@despatch/domain/callback/breaker'
import {
  callbackEndReasons,
  callbackKinds,
  callbackStates,
} from '@despatch/domain/callback/callback-state'
import { mayCall } from '@despatch/domain/callback/may-call'
import { planNextAttempt } from '@despatch/domain/callback/retry'
import { returnDispositions } from '@despatch/domain/print-run/returned-letter'
import { expect, test } from 'vitest'
import { readFences } from '../stack/follow-guide.ts'
import { paths, readText } from './tree.ts'

const firstPage = 'docs/callbacks.md'
const pages = paths.filter((path) => path === firstPage || path.startsWith('docs/callbacks/'))
// tables contain padding, and paragraphs and lists contain line breaks
const guide = pages.map((path) => readText(path).replaceAll(/\s+/g, ' ')).join(' ')
const fences = await readFences(firstPage)

test('every page is linked from the first page', () => {
  const linked = readText(firstPage).matchAll(/\]\((callbacks\/[\w-]+\.md)\)/g)
  const links = new Set([...linked].map(([, link]) => `docs/${link}`))

  expect([firstPage, ...links].toSorted()).toEqual(pages.toSorted())
})

test.each(Object.values(operations))('calls $method $url', ({ method, url }) => {
  const commands = fences.filter(({ isRun }) => isRun).map(({ text }) => text)
  const [, path = ''] = url.split('/v1', 2)
  const pattern = path.replaceAll(/:\w+/g, '\\$\\w+')
  const options = { GET: '', POST: '(-X POST |"\\$\\{json\\[@\\]\\}" )', DELETE: '-X DELETE ' }

  expect(commands.join('\n')).toMatch(
    new RegExp(`curl "\\$\\{me\\[@\\]\\}" ${options[method]}"\\$api${pattern}["?]`),
  )
})

test('shows the receiver that it runs', () => {
  const receiver = readText('docs/examples/callbacks/receiver.mjs')

  expect(fences.map(({ text }) => text)).toContain(receiver)
})

test('names every state, every reason of a dead callback and every outcome of an attempt', () => {
  const rows = [...callbackStates, ...callbackEndReasons, ...attemptOutcomes]

  expect(rows.filter((word) => !guide.includes(`| \`${word}\` |`))).toEqual([])
})

test('shows a message of each kind', () => {
  const types = [
    ...readText(firstPage).matchAll(/"type": "despatch\.print\.messages\.v\d\.(\w+)"/g),
  ]
  const kinds = { PrintJobStatus: 'status', LetterReturned: 'return', TestMessage: 'test' }
  const shown = types.map(([, type]) => kinds[type as keyof typeof kinds])

  expect([...new Set(shown)].toSorted()).toEqual([...callbackKinds].toSorted())
  expect(returnDispositions.filter((word) => !guide.includes(`\`${word}\``))).toEqual([])
})

test('the messages in the guide equal the examples of the OpenAPI document', () => {
  const messages = [...readText(firstPage).matchAll(/^```json\n(\{\n {2}"specVersion.*?)^```/gms)]
  const examples = Object.values(callbackWebhooks).flatMap((each) => Object.values(each.examples))

  expect(messages.map(([, message]) => JSON.parse(message!))).toEqual(examples)
})

const windows = [30, 60, 300, 3_600, 10_800, 21_600, 86_400]

test.each(windows)('lists the times of attempts in a window of %i seconds', (window) => {
  const times = attemptsWithin(window)
  const row = `| ${window} | ${times.length} | ${writeTimes(times)} |`

  expect(guide).toContain(row)
})

test.each([
  ['delivered', [200, 204, 299]],
  ['gone', [410]],
  ['retry', [300, 301, 307, 408, 425, 429, 500, 503, 599]],
  ['refused', [400, 401, 403, 404, 409, 413, 422, 499]],
])('lists the statuses that lead to: %s', (follows, statuses) => {
  const next = statuses.map((status) => stepAfter({ status, window: 60, attempts: 1, seconds: 0 }))

  expect(next.map((step) => (step.kind === 'abandon' ? step.reason : step.kind))).toEqual(
    statuses.map(() => follows),
  )
})

test('lists the ports that callbacks cannot use', () => {
  const [, item = ''] = /\*\*port\*\*: (.*?) - \*\*/.exec(guide) ?? []
  const listed = /: (.+)$/.exec(item)?.[1] ?? ''
  const told = listed.split(', ').flatMap((range) => {
    const [from, to = from] = range.split(' to ').map(Number)
    return Array.from({ length: to! - from! + 1 }, (_, index) => from! + index)
  })
  const refused = Array.from({ length: 65_535 }, (_, index) => index + 1).filter(
    (port) => mayCall(`https://letters.example:${port}/`, []).kind === 'refuse',
  )

  expect(told).toEqual(refused.filter((port) => port >= 1_024))
  expect(Array.from({ length: 1_023 }, (_, index) => index + 1)).toEqual(
    [...refused.filter((port) => port < 1_024), 80, 443].toSorted((one, other) => one - other),
  )
})

test('states the limits of the breaker', () => {
  expect(guide).toContain(
    `after ${failuresInRowMax} failures in a row, or when more than ${failureShareMax * 100} % of at least ${callsJudgedMin} calls`,
  )
  expect(guide).toContain(`for ${openSeconds} seconds`)
  expect([minutesJudged, guide.includes('of five minutes failed')]).toEqual([5, true])
})

/**
 * Returns when attempts are made, in seconds from the first, if each fails immediately and delays are not randomised.
 */
function attemptsWithin(window: number): number[] {
  const times = [0]
  for (;;) {
    const seconds = times.at(-1)!
    const next = stepAfter({ status: 500, window, attempts: times.length, seconds })
    if (next.kind !== 'retry') return times
    times.push(next.at.getTime() / 1000)
  }
}

function stepAfter(attempt: { status: number; window: number; attempts: number; seconds: number }) {
  const began = new Date(0)
  return planNextAttempt({
    result: { kind: 'answered', httpStatus: attempt.status },
    retryParams: { enabled: true, maxRetryWindow: attempt.window },
    attempts: attempt.attempts,
    owedSince: began,
    firstAttemptAt: began,
    finishedAt: new Date(attempt.seconds * 1000),
    random: 0.5,
  })
}

/**
 * Renders times, for example `0, 1, 3, then every 7.5 to 52, 60`: attempts at equal distances are given by their
 * distance.
 */
function writeTimes(times: readonly number[]): string {
  const distances = times.slice(1).map((time, index) => time - times[index]!)
  const longest = Math.max(...distances)
  const first = distances.indexOf(longest)
  const last = distances.lastIndexOf(longest)
  if (last - first < 2) return times.join(', ')
  const before = times.slice(0, first + 1)
  const after = times.slice(last + 2)
  return [...before, `then every ${longest} to ${times[last + 1]}`, ...after].join(', ')
}
