import { printJobEventsSchema } from '@despatch/contracts/print-request/print-job-events'
import { printJobResponseSchema } from '@despatch/contracts/print-request/print-job-response'
import { isFinal, printJobStatuses, transitions } from '@despatch/domain/print-job/status'
import { printRunStates } from '@despatch/domain/print-run/state'
import { expect, test } from 'vitest'
import { checkedValues, quotedIn, statements } from './sql.ts'
import { importsOf, programs, readText } from './tree.ts'

const queries = [
  ...statements,
  ...programs.filter(
    (file) => file.path.startsWith('packages/store/src/') || importsOf(file).includes('kysely'),
  ),
]

test('the database allows the statuses of the domain', () => {
  expect(checkedValues('print_job', 'status')).toEqual([...printJobStatuses])
  expect(checkedValues('print_run', 'state')).toEqual([...printRunStates])
})

test('the contract has the statuses of the domain', () => {
  expect(printJobResponseSchema.shape.status.options).toEqual([...printJobStatuses])
  expect(printJobEventsSchema.shape.events.element.shape.status.options).toEqual([
    ...printJobStatuses,
  ])
})

test('every query names only existing statuses', () => {
  const comparison = /\bstatus\s*(?:=|<>|in|not in)\s*(\([^)]*\)|'[^']*')/gi
  const named = queries.flatMap(({ text }) =>
    [...text.matchAll(comparison)].flatMap(([, values]) => quotedIn(values!)),
  )

  expect(new Set(named)).toEqual(new Set(printJobStatuses))
})

test('a print job is live until its status is final', () => {
  const live = printJobStatuses.filter((status) => !isFinal(status))
  const lists = queries.flatMap(({ text }) =>
    [...text.matchAll(/status in (\([^)]*\)) and deleted_at is null/g)].map(([, list]) =>
      quotedIn(list!),
    ),
  )

  expect(lists.length).toBeGreaterThan(0)
  expect(lists).toEqual(lists.map(() => live))
})

test('the journey names every status and every transition', () => {
  const journey = readText('docs/journey.md')
  const architecture = readText('ARCHITECTURE.md')
  const moves = Object.keys(transitions)

  expect(moves.filter((transition) => !journey.includes(`\`${transition}\``))).toEqual([])
  expect(printJobStatuses.filter((status) => !architecture.includes(status))).toEqual([])
  expect(
    printJobStatuses.filter((status) => !isFinal(status) && !journey.includes(status)),
  ).toEqual([])
})
