import { listScenarios } from '@despatch/uat-scenarios/list-scenarios'
import type { Despatch } from '../../stack/start-despatch.ts'
import { type Callers, callerNames, renewTokens, signIn, useKey } from './callers.ts'
import { drawFor } from './draw.ts'
import { type Memory, measureHeap } from './heap.ts'
import { createJudge, type Fault } from './judge-answer.ts'
import { createKnownValues } from './known-values.ts'
import { type FuzzRequest, makeRequest } from './make-request.ts'
import { minimise } from './minimise.ts'
import { nameOf, type Operation, readOperations } from './operations.ts'
import { prepare } from './prepare.ts'
import { type Answer, createSender, type Outcome } from './send.ts'

export type ContractFuzzSettings = {
  seed: number
  requests: number
  /** The number of concurrent requests. */
  concurrency: number
  /** Tests only this operation, given by its id or, to distinguish APIs, as `administration/getConsumer`. */
  operation?: string
  /** Called at intervals. Undoes what requests did to the limits that all callers share. */
  restore: () => Promise<void>
  tell?: (line: string) => void
}

export type Finding = Fault & {
  operation: Operation
  request: FuzzRequest
  index: number
  seen: number
}

export type ContractFuzzReport = {
  requests: number
  seconds: number
  /** The number of answers, by operation and status. An operation is named as `administration/getConsumer`. */
  counts: Readonly<Record<string, Readonly<Record<string, number>>>>
  findings: readonly Finding[]
  memory: { early: Memory; late: Memory; heapBytesMax: number }
}

/** Operations that hash a password are slow, so fewer requests use them. */
const slowOperations: ReadonlySet<string> = new Set([
  'thirdparty-access/authenticate',
  'thirdparty-access/changePassword',
  'administration/createSession',
  'administration/createConsumer',
  'administration/resetPassword',
])
const slowShare = 4
const restoreEvery = 2_000
const warmUpShare = 0.2
const heapRatioMax = 1.5
const heapSlackBytes = 48 * 1024 * 1024

/** Makes requests from the schemas of every operation, and checks every answer against the documents. */
export async function runContractFuzz(
  despatch: Pick<Despatch, 'credentials' | 'process' | 'output'>,
  settings: ContractFuzzSettings,
): Promise<ContractFuzzReport> {
  const { seed, requests, concurrency, restore, tell = () => {} } = settings
  const { credentials } = despatch
  const all = await readOperations()
  const operations = turnsOf(all, settings.operation)
  const [callers, sender] = [await signIn(credentials), createSender(credentials)]
  const known = createKnownValues(await findBarred(callers, credentials))
  const judge = createJudge()
  const counts: Counts = {}
  const findings = new Map<string, Finding>()

  async function tryOne(index: number): Promise<void> {
    const operation = operations[index % operations.length]!
    const request = makeRequest(operation, { callers, known }, drawFor(seed, index))
    const outcome = await sender.send(request)
    count(counts, operation, outcome)
    if ('answer' in outcome) await learn(operation, outcome.answer, request)
    const fault = judge(request, outcome)
    if (fault) note({ ...fault, operation, request, index, seen: 1 })
  }

  async function learn(
    operation: Operation,
    { status, headers, body }: Answer,
    { as }: FuzzRequest,
  ): Promise<void> {
    const isJson = String(headers['content-type']).startsWith('application/json')
    if (status >= 300 || !isJson) return
    const value = JSON.parse(body.toString())
    const caller = callerNames.find((name) => name === as)
    if (nameOf(operation) === 'thirdparty-access/changeApiKey' && caller)
      await useKey(callers[caller], value.newApiKey, credentials.baseUrl)
    known.learn(nameOf(operation), value)
  }

  function note(finding: Finding): void {
    const key = keyOf(finding)
    const same = findings.get(key)
    if (same) same.seen += 1
    else {
      findings.set(key, finding)
      tell(`found ${key}`)
    }
  }

  let next = 0
  async function runUntil(end: number): Promise<void> {
    while (next < end) {
      const chunkEnd = Math.min(end, next + restoreEvery)
      await tryAll({ from: next, to: chunkEnd, concurrency, seed }, tryOne)
      next = chunkEnd
      await restore()
      await renewTokens(Object.values(callers), credentials.baseUrl)
      tell(`${next} requests, ${findings.size} findings`)
    }
  }

  const begun = performance.now()
  await prepare({ credentials, callers, known, sender, operations: all })
  await runUntil(Math.ceil(requests * warmUpShare))
  const early = await measureHeap(despatch)
  await runUntil(requests)
  const late = await measureHeap(despatch)

  const tryAgain = async (request: FuzzRequest) => judge(request, await sender.send(request))
  const smallest = await Promise.all([...findings.values()].map((each) => reduce(each, tryAgain)))
  sender.close()
  const heapBytesMax = early.heapBytes * heapRatioMax + heapSlackBytes
  return {
    requests: next,
    seconds: (performance.now() - begun) / 1000,
    counts,
    findings: smallest,
    memory: { early, late, heapBytesMax },
  }
}

type Counts = Record<string, Record<string, number>>

function count(counts: Counts, operation: Operation, outcome: Outcome): void {
  const status = 'answer' in outcome ? outcome.answer.status : 'none'
  const name = nameOf(operation)
  counts[name] ??= {}
  counts[name][status] = (counts[name][status] ?? 0) + 1
}

export function isSound({ findings, memory }: ContractFuzzReport): boolean {
  return findings.length === 0 && memory.late.heapBytes <= memory.heapBytesMax
}

/** Tries the requests with these indexes. Throws the first failure, once no request is under way. */
async function tryAll(
  { from, to, concurrency, seed }: Record<'from' | 'to' | 'concurrency' | 'seed', number>,
  tryOne: (index: number) => Promise<void>,
): Promise<void> {
  let next = from
  const failures: unknown[] = []
  async function work(): Promise<void> {
    while (next < to && failures.length === 0) {
      const index = next
      next += 1
      try {
        await tryOne(index)
      } catch (error) {
        failures.push(new Error(`Request ${index} of seed ${seed} failed`, { cause: error }))
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  if (failures.length > 0) throw failures[0]
}

/** Makes the request of a finding as small as it can be with the same fault. */
async function reduce(
  finding: Finding,
  tryAgain: (request: FuzzRequest) => Promise<Fault | undefined>,
): Promise<Finding> {
  const request = await minimise(finding.request, async (smaller) => {
    const fault = await tryAgain(smaller)
    return fault !== undefined && keyOf({ ...finding, ...fault }) === keyOf(finding)
  })
  return { ...finding, request }
}

function keyOf({
  operation,
  rule,
  detail,
}: Pick<Finding, 'operation' | 'rule' | 'detail'>): string {
  return `${nameOf(operation)}: ${rule}: ${detail}`
}

/**
 * Returns the operations in the order of their turns. Slow ones have fewer turns. Throws if the named operation does
 * not exist.
 */
function turnsOf(all: readonly Operation[], given: string | undefined): readonly Operation[] {
  if (given !== undefined) {
    const named = all.filter((operation) => [operation.id, nameOf(operation)].includes(given))
    if (named.length === 0) throw new Error(`There is no operation ${given}`)
    return named
  }
  const isSlow = (operation: Operation) => slowOperations.has(nameOf(operation))
  const quick = all.filter((operation) => !isSlow(operation))
  return [...Array.from({ length: slowShare }, () => quick).flat(), ...all.filter(isSlow)]
}

/** Finds values whose use could take away the callers' own access. No request may contain them. */
/** Returns what no request may contain: what callers need for themselves, and values that answer 500 on purpose. */
export async function findBarred(
  callers: Callers,
  { opsUrl }: { opsUrl: string },
): Promise<Set<unknown>> {
  const { token, apiKey } = callers.operator
  const barred = new Set<unknown>([
    'standard',
    'demo-provider',
    'demo-site',
    'demo-consumer',
    'demo-operator',
  ])
  // scenarios that answer 500 on purpose
  for (const { request, expects } of listScenarios()) {
    if (expects.status === 500) for (const value of textsIn(request)) barred.add(value)
  }
  for (const name of callerNames) {
    const url = `${opsUrl}/administration/v1/consumers?userName=${callers[name].userName}`
    const response = await fetch(url, { headers: { authorization: token, 'x-api-key': apiKey } })
    const { consumers } = (await response.json()) as { consumers: { consumerId: string }[] }
    for (const { consumerId } of consumers) barred.add(consumerId)
  }
  return barred
}

function textsIn(value: unknown): unknown[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
