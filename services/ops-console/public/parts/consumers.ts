import type { ConsumersResponse } from '@despatch/contracts/administration/consumer'
import { ask, withQuery } from './api.ts'

export type Consumer = ConsumersResponse['consumers'][number]

const pageMax = 100
let reading: Promise<readonly Consumer[]> | undefined

/** Returns all consumers by user name. They are read once for each page; a read that failed is repeated. */
export function readConsumers(): Promise<readonly Consumer[]> {
  reading ??= readAllConsumers().catch((error: unknown) => {
    reading = undefined
    throw error
  })
  return reading
}

/** Returns the consumers whose user name, name or id is meant by the term. The term stays out of URLs. */
export function findConsumers(term: string, consumers: readonly Consumer[]): readonly Consumer[] {
  const wanted = term.toLowerCase()
  return consumers.filter(
    ({ consumerId, userName, name }) =>
      consumerId === wanted || `${userName} ${name}`.toLowerCase().includes(wanted),
  )
}

/** Reads all consumers by user name, page by page. */
export async function readAllConsumers(): Promise<Consumer[]> {
  const all: Consumer[] = []
  let cursor: string | undefined
  do {
    const path = withQuery('/consumers', { limit: pageMax, cursor })
    const page = await ask<ConsumersResponse>('GET', path)
    all.push(...page.consumers)
    cursor = page.nextCursor
  } while (cursor)
  return all
}
