import { printJobNotes } from '@despatch/domain/print-job/note'
import {
  type PrintJobStatus,
  statusAfter,
  type Transition,
  transitions,
} from '@despatch/domain/print-job/status'
import {
  clientPrefix,
  type HistoryLine,
  type LetterKind,
  type Outage,
  outagesOf,
} from '../facts/client-history.ts'
import type { NewCallback } from '../facts/deliveries.ts'
import type { KeptLetter } from '../facts/kept-letters.ts'
import { applyRules, type Finding, type Found } from './finding.ts'

/** What the clients saw, what the database holds at the end, and which calls were made meanwhile. */
export type ClientFacts = {
  /** In chronological order. */
  lines: readonly HistoryLine[]
  kept: readonly KeptLetter[]
  callbacks: readonly Pick<NewCallback, 'id' | 'state' | 'endReason'>[]
  /** When every dependency was back, in milliseconds since 1970. */
  endedAt: number
  /** The status that each letter must reach. */
  goal: 'PENDING' | 'DESPATCHED'
  /**
   * The maximum time a letter may take to reach its goal after everything was back, after its submission or after the
   * letter before it reached its own, whichever is latest: a slow machine is not at fault. In milliseconds.
   */
  recoveryMsMax: number
  /** A letter that asks for callbacks is owed one for each of these statuses that it enters. */
  callbackStatuses: readonly string[]
}

export type Rule = (typeof rules)[number]['rule']

/**
 * Checks what clients were answered against what is kept. Pure: the same history gives the same findings. An empty list
 * means that the outage cost time but lost no letter.
 */
export function checkClients(history: ClientFacts): Finding<Rule>[] {
  const facts = { ...history, requests: requestsOf(history), outages: outagesOf(history.lines) }
  return applyRules(rules, facts)
}

/** A request and its answer. */
export type Asked = Omit<HistoryLine, 'time' | 'type' | 'letter'> & {
  from: number
  /** Infinity: the run ended before the answer. */
  to: number
  type: 'ok' | 'fail' | 'unknown'
  letter: LetterKind | undefined
}

/** Pairs each request of a client with its answer. */
export function requestsOf({ lines }: Pick<ClientFacts, 'lines'>): Asked[] {
  const told = lines.filter(({ process }) => process.startsWith(clientPrefix))
  return [...Map.groupBy(told, ({ process }) => process).values()].flatMap((own) =>
    own.flatMap(({ type, time, letter, ...line }, index): Asked[] => {
      if (type !== 'invoke') return []
      const answer = own[index + 1]
      if (!answer || answer.type === 'invoke') {
        return [{ ...line, from: time, to: Infinity, type: 'unknown', letter }]
      }
      const { time: to, letter: _, ...rest } = answer
      return [{ ...rest, type: answer.type, from: time, to, letter }]
    }),
  )
}

type Facts = ClientFacts & { requests: readonly Asked[]; outages: readonly Outage[] }

const rules = [
  { rule: 'what is accepted is kept', check: findLost },
  { rule: 'what is refused is not kept', check: findKeptRefusals },
  { rule: 'what is kept was posted', check: findUnasked },
  { rule: 'a letter is kept once', check: findDuplicates },
  { rule: 'no letter is parked', check: findParked },
  { rule: 'no letter is rejected', check: findRejected },
  { rule: 'every letter reaches its goal in time', check: findLate },
  { rule: 'every letter goes its way once', check: findDetours },
  { rule: 'no 409 is false', check: findFalseConflicts },
  { rule: 'no answer is 500', check: findFaults },
  { rule: 'a 503 says when to come again', check: findMuteRefusals },
  { rule: 'nothing else is refused', check: findRefusals },
  { rule: 'every letter comes to an answer', check: findUnanswered },
  { rule: 'what is answered deleted is deleted, and nothing else', check: findWronglyDeleted },
  { rule: 'each status owes one callback', check: findWronglyOwed },
  { rule: 'every callback is delivered', check: findDead },
] as const

/** Entries of a timeline that move no status. */
const notes: ReadonlySet<string> = new Set([...printJobNotes, 'park'])
const way = ['submit', 'release', 'accept']

function postsOf({ requests }: Facts): Map<string, Asked[]> {
  return Map.groupBy(
    requests.filter(({ operation }) => operation === 'post'),
    ({ id }) => id,
  )
}

function findLost(facts: Facts): Found[] {
  const kept = new Set(facts.kept.map(({ id }) => id))
  return [...postsOf(facts)]
    .filter(([id, posts]) => !kept.has(id) && posts.some(({ type }) => type === 'ok'))
    .map(([id]) => [id, 'was answered 202 and is not kept'])
}

/**
 * True if the answer leaves open whether the letter was saved. While the database is away, the service cannot know
 * whether it has committed.
 */
function isInDoubt({ type, status, from, to }: Asked, outages: readonly Outage[]): boolean {
  if (type === 'unknown' && status === undefined) return true
  if (status === undefined || status < 500) return false
  return outages.some((outage) => {
    return outage.dependency === 'database' && from <= outage.to && to >= outage.from
  })
}

function findKeptRefusals(facts: Facts): Found[] {
  const posts = postsOf(facts)
  return facts.kept.flatMap(({ id }): Found[] => {
    const own = posts.get(id) ?? []
    // A 409 means that the letter is kept.
    const isRefused = own.every(
      (post) => post.type === 'fail' && post.status !== 409 && !isInDoubt(post, facts.outages),
    )
    return own.length > 0 && isRefused ? [[id, `was answered ${statusesOf(own)} and is kept`]] : []
  })
}

function statusesOf(requests: readonly Asked[]): string {
  return [...new Set(requests.map(({ status }) => status ?? 'nothing'))].join(', ')
}

function findUnasked(facts: Facts): Found[] {
  const posts = postsOf(facts)
  return facts.kept
    .filter(({ id }) => !posts.has(id))
    .map(({ id, status }) => [id, `is ${status} and no client posted it`])
}

function findDuplicates({ kept }: Facts): Found[] {
  return [...Map.groupBy(kept, ({ id }) => id)]
    .filter(([, rows]) => rows.length > 1)
    .map(([id, rows]) => [id, `is kept ${rows.length} times`])
}

function findParked({ kept }: Facts): Found[] {
  return kept
    .filter(wasParked)
    .map(({ id, status, failure }) => [
      id,
      `was parked${failure ? ` for ${failure}` : ''}, and is ${status}`,
    ])
}

/** A letter that was parked may have been redriven since. */
function wasParked({ isParked, timeline }: KeptLetter): boolean {
  return isParked || timeline.some(({ transition }) => transition === 'park')
}

function findRejected({ kept }: Facts): Found[] {
  return kept.filter(({ status }) => status === 'REJECTED').map(({ id }) => [id, 'is REJECTED'])
}

function findLate({ kept, endedAt, goal, recoveryMsMax }: Facts): Found[] {
  const reachedAtOf = ({ pendingAt, despatchedAt }: KeptLetter) =>
    goal === 'PENDING' ? pendingAt : despatchedAt
  const moments = kept
    .map(reachedAtOf)
    .filter((moment) => moment !== null)
    .sort((a, b) => a - b)
  return kept
    .filter(({ isDeleted }) => !isDeleted)
    .flatMap((letter): Found[] => {
      const { id, status, submittedAt } = letter
      const reachedAt = reachedAtOf(letter)
      if (reachedAt === null) {
        return status === 'REJECTED' || wasParked(letter) ? [] : [[id, `is still ${status}`]]
      }
      const before = moments.findLast((moment) => moment < reachedAt) ?? endedAt
      const lateMs = reachedAt - Math.max(endedAt, submittedAt, before) - recoveryMsMax
      return lateMs > 0 ? [[id, `was ${goal} ${Math.round(lateMs)} ms too late`]] : []
    })
}

function findDetours({ kept }: Facts): Found[] {
  return kept
    .filter(({ status }) => status !== 'REJECTED')
    .flatMap(({ id, timeline }): Found[] => {
      const gap = timeline.findIndex(({ sequence }, index) => sequence !== index + 1)
      if (gap >= 0) return [[id, `step ${gap + 1} has the number ${timeline[gap]!.sequence}`]]
      const steps = timeline.map(({ transition }) => transition).filter((step) => !notes.has(step))
      const isOnItsWay = steps.every((step, index) => step === (way[index] ?? step))
      const isRepeated = way.some((step) => steps.indexOf(step) !== steps.lastIndexOf(step))
      return isOnItsWay && !isRepeated ? [] : [[id, `went ${steps.join(', ')}`]]
    })
}

/**
 * Without an Idempotency-Key, 409 is the correct answer if an earlier post was saved but its answer could not say so.
 */
function findFalseConflicts(facts: Facts): Found[] {
  return [...postsOf(facts)].flatMap(([id, posts]): Found[] => {
    const at = posts.findIndex(({ status }) => status === 409)
    if (at < 0) return []
    if (at === 0) return [[id, 'answers its first post']]
    if (posts[at]!.letter?.hasKey) return [[id, 'answers a post with the same Idempotency-Key']]
    const earlier = posts.slice(0, at)
    if (earlier.some((post) => isInDoubt(post, facts.outages))) return []
    return [[id, `follows ${statusesOf(earlier)}, when the database was there`]]
  })
}

function findFaults(facts: Facts): Found[] {
  return told(facts, ({ status = 0 }) => status >= 500 && status !== 503)
}

function findMuteRefusals(facts: Facts): Found[] {
  return told(facts, ({ hasRetryAfter }) => hasRetryAfter === false)
}

/**
 * Finds wrong answers of Despatch, each reported once per letter. The object store's answers do not count: it is not
 * part of Despatch.
 */
function told({ requests }: Facts, isWrong: (request: Asked) => boolean): Found[] {
  const wrong = requests.filter(
    (request) => request.operation !== 'fill-upload' && isWrong(request),
  )
  const alike = Map.groupBy(wrong, ({ id, operation, status }) => `${id} ${operation} ${status}`)
  return [...alike.values()].map((answers) => {
    const { id, operation, status } = answers[0]!
    return [id, `was answered ${status} to ${operation} (${answers.length} times)`]
  })
}

function findRefusals(facts: Facts): Found[] {
  return told(facts, ({ type, status }) => type === 'fail' && status !== 503 && status !== 409)
}

function findUnanswered(facts: Facts): Found[] {
  const posts = postsOf(facts)
  const ids = new Set(facts.requests.map(({ id }) => id))
  return [...ids].flatMap((id): Found[] => {
    const last = posts.get(id)?.at(-1)
    if (!last) return [[id, 'was never posted']]
    const { status, letter } = last
    const isOver = status !== undefined && status < 500
    return isOver || !letter?.isPatient ? [] : [[id, `was last answered ${status ?? 'nothing'}`]]
  })
}

function findWronglyDeleted({ requests, kept }: Facts): Found[] {
  const asked = Map.groupBy(
    requests.filter(({ operation }) => operation === 'delete'),
    ({ id }) => id,
  )
  return kept.flatMap(({ id, isDeleted, status }): Found[] => {
    const deletions = asked.get(id) ?? []
    const isDone = deletions.some(({ type }) => type === 'ok')
    const mayBeDone = isDone || deletions.some(({ type }) => type === 'unknown')
    if (isDone && !isDeleted) return [[id, `was answered 204 to delete and is ${status}`]]
    return isDeleted && !mayBeDone ? [[id, 'is deleted, and no client was answered so']] : []
  })
}

function findWronglyOwed(facts: Facts): Found[] {
  const posts = postsOf(facts)
  return facts.kept
    .filter(({ status }) => status !== 'REJECTED')
    .flatMap(({ id, timeline, callbacks }): Found[] => {
      const isCalledBack = posts.get(id)?.[0]?.letter?.isCalledBack !== false
      const wanted = statusesEntered(timeline)
        .filter((status) => isCalledBack && facts.callbackStatuses.includes(status))
        .map((status, index) => `${index + 1} ${status}`)
      if (callbacks.join() === wanted.join()) return []
      return [[id, `owes ${callbacks.join(', ') || 'none'}, not ${wanted.join(', ') || 'none'}`]]
    })
}

function statusesEntered(timeline: KeptLetter['timeline']): PrintJobStatus[] {
  let reached: PrintJobStatus = 'QUARANTINE'
  return timeline.flatMap(({ transition }) => {
    const next = Object.hasOwn(transitions, transition)
      ? statusAfter(reached, transition as Transition)
      : undefined
    if (next === undefined || next === reached) return []
    reached = next
    return [next]
  })
}

function findDead({ callbacks }: Facts): Found[] {
  return callbacks
    .filter(({ state }) => state === 'DEAD')
    .map(({ id, endReason }) => [id, `was given up: ${endReason}`])
}
