import type { CountPrintJobsRequest } from '@despatch/contracts/administration/print-job'
import { isFinal, printJobStatuses } from '@despatch/domain/print-job/status'
import { given, ownQuery } from '../parts/api.ts'
import { dateIn, dayAfter, fromLondon, londonDate } from '../parts/format.ts'

/** Stands for every status before the last one. */
export const openStatuses = 'OPEN'

/**
 * The filter of the list of letters, as the address of the page has it. Dates are London dates, and the last one is
 * included. `find` may be a name, so it is in no address.
 */
export type Filter = {
  [Name in
    | 'find'
    | 'status'
    | 'only'
    | 'consumerId'
    | 'rule'
    | 'createdFrom'
    | 'createdTo'
    | 'dueFrom'
    | 'dueTo'
    | 'order']?: string
}

/** Returns the filter in the page's own address. */
export function filterOfAddress(): Filter {
  const { status, only, consumerId, rule, find, order, ...dates } = ownQuery()
  const { createdFrom, createdTo, dueFrom, dueTo } = dates
  const [from, to] = [createdFrom, createdTo].map(dateIn)
  const due = { dueFrom: dateIn(dueFrom), dueTo: dateIn(dueTo) }
  return given({
    find,
    status,
    only,
    consumerId,
    rule,
    createdFrom: from,
    createdTo: to,
    ...due,
    order,
  })
}

/** Returns the filter as the API takes it. It refuses what no option of the page can set. */
export function bodyOf({ order: _, status, createdFrom, createdTo, ...rest }: Filter) {
  const body = given({
    ...rest,
    ...(status === openStatuses
      ? { statuses: printJobStatuses.filter((each) => !isFinal(each)) }
      : { status }),
    createdFrom: createdFrom && fromLondon(`${createdFrom}T00:00`),
    createdTo: createdTo && fromLondon(`${dayAfter(createdTo)}T00:00`),
  })
  return body as CountPrintJobsRequest
}

/** A view that operators use, with its number if the live figures have it. */
export type View = readonly [name: string, filter: Filter, number?: number | undefined]

/** Returns the filters of what needs work, by the figures of the whole system. */
export function commonViews(counts: {
  dueToday: number | undefined
  atRisk: number | undefined
  overdue: number | undefined
  parked: number | undefined
  held: number | undefined
  rejectedToday: number | undefined
}): readonly View[] {
  const today = londonDate(new Date())
  return [
    ['All', {}],
    ['Open, due today or earlier', { status: openStatuses, dueTo: today }],
    ['Due today', { dueFrom: today, dueTo: today }, counts.dueToday],
    ['At risk', { only: 'at-risk' }, counts.atRisk],
    ['Overdue', { only: 'overdue' }, counts.overdue],
    ['Held', { only: 'held' }, counts.held],
    ['Parked', { only: 'parked' }, counts.parked],
    ['Rejected today', { status: 'REJECTED', createdFrom: today }, counts.rejectedToday],
  ]
}

const savedName = 'despatch-views'

/** Returns the views that the operator has saved in this browser. What is not a view, such as of another release, is skipped. */
export function savedViews(): readonly View[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(savedName) ?? '[]')
    return Array.isArray(saved) ? saved.filter(isView) : []
  } catch {
    return []
  }
}

function isView(saved: unknown): saved is View {
  if (!Array.isArray(saved)) return false
  const [name, filter] = saved
  const isFilter = typeof filter === 'object' && filter !== null && !Array.isArray(filter)
  return (
    typeof name === 'string' &&
    isFilter &&
    Object.values(filter).every((each) => typeof each === 'string')
  )
}

export function saveViews(views: readonly View[]): void {
  localStorage.setItem(savedName, JSON.stringify(views))
}

/** Returns whether two filters show the same letters, apart from the search term. */
export function isSame(one: Filter, other: Filter): boolean {
  const textOf = ({ find: _, ...rest }: Filter) => JSON.stringify(Object.entries(rest).sort())
  return textOf(one) === textOf(other)
}
