import { randomUUID } from 'node:crypto'
import type { Tx } from '@despatch/store/database'
import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { recallDocuments } from '@despatch/store/recall/request'
import { decideReprint } from '@despatch/store/reprint/decide'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import type { Fulfilment } from './a-fulfilment.ts'
import { anEvent } from './production-report.ts'

const working = ['ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'IN_PRODUCTION', 'POSTED', 'RECONCILED']
const providers = ['north', 'south'] as const
const handedOver = { carrier: 'Royal Mail', handoverAt: '2026-01-31T17:30:00Z' }

const isLucky = (chance: number) => Math.random() < chance
const pick = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(Math.random() * items.length)]!
const some = <Item>(items: readonly Item[], chance: number) => items.filter(() => isLucky(chance))

type Run = { batchNumber: string; provider: string }

/** Rolls back a transaction whose work was refused, as its caller must. */
class GivenUp extends Error {}

/**
 * The actions that consumers, the pipeline, two providers and operators may take on print runs. Each call acts once on
 * something found at random, also if the rules forbid the action at that moment. `faults` collects each response that
 * no caller should get.
 */
export function aStorm(fulfilment: Fulfilment) {
  const { pool, db } = fulfilment.database
  const faults: string[] = []
  const ids: string[] = []

  const inTransaction = <Result>(work: (tx: Tx) => Promise<Result>) =>
    db.transaction().execute(work)

  async function rowsOf<Row>(query: string, ...values: unknown[]): Promise<Row[]> {
    return (await pool.query(query, values)).rows as Row[]
  }

  function findRuns(states: readonly string[], limit = 1): Promise<Run[]> {
    return rowsOf(
      `select batch_number as "batchNumber", provider_id as provider from print_run
       where state = any ($1) order by random() limit $2`,
      states,
      limit,
    )
  }

  function documentsOf({ batchNumber }: Run): Promise<{ documentId: string; attempt: number }[]> {
    return rowsOf(
      `select document_id as "documentId", attempt from print_run_document
       where batch_number = $1 and sequence is not null`,
      batchNumber,
    )
  }

  async function call(method: 'GET' | 'POST', path: string, options: object) {
    const answer = await fulfilment.call(method, path, options)
    const isExpected = [200, 201, 404, 409].includes(answer.status)
    if (!isExpected) faults.push(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer
  }

  /** Runs `work` with one run in one of the states, if there is one. */
  const withRun = (states: readonly string[], work: (run: Run) => Promise<unknown>) => async () => {
    const [run] = await findRuns(states)
    if (run) await work(run)
  }

  const actions: Record<string, () => Promise<unknown>> = {
    submit: async () => {
      const letters = Array.from({ length: 6 }, () => ({ sheets: pick([1, 2, 5]) }))
      const added = await fulfilment.addPending(...letters)
      ids.push(...added.map(({ id }) => id))
    },
    delete: async () => {
      if (ids.length > 0) await fulfilment.deleteJob(pick(ids.slice(-25)))
    },
    build: () => gatherAndRelease(db, { runAgeMs: pick([0, 200]), documentsMax: 12, jobsMax: 10 }),
    'switch a site': () =>
      pool.query('update print_site set enabled = $1 where provider_id = $2', [
        isLucky(0.7),
        pick(providers),
      ]),
    claim: withRun(['RELEASED', 'CLAIMED'], ({ batchNumber, provider }) =>
      call('POST', `/print-runs/${batchNumber}/claim`, {
        provider,
        key: `${batchNumber} ${pick([1, 2])}`,
      }),
    ),
    acknowledge: withRun(['CLAIMED'], async ({ batchNumber, provider }) => {
      const path = `/print-runs/${batchNumber}`
      const { body: manifest } = await call('GET', `${path}/manifest`, { provider })
      const { documentCount, sheetCount } = manifest.totals
      const why = { reasonCode: 'OTHER', reason: 'no paper' }
      const refused = some(manifest.documents as { documentId: string }[], 0.1)
      const refusals = refused.map(({ documentId }) => ({ documentId, ...why }))
      const body = {
        documentCount,
        sheetCount,
        manifestDigest: manifest.manifestDigest,
        ...(isLucky(0.15) ? { refusal: why } : refusals.length > 0 && { refusals }),
      }
      await call('POST', `${path}/acknowledgement`, { provider, body })
    }),
    report: withRun(working, async (run) => {
      const types = ['FETCHED', 'PRINTED', 'PRINTED', 'ENCLOSED', 'DIVERTED', 'SPOILED']
      const events = some(await documentsOf(run), 0.6).map(({ documentId, attempt }) =>
        anEvent({
          documentId,
          attempt: isLucky(0.8) ? attempt : pick([1, 2, 3]),
          type: isLucky(0.05) ? 'FAILED' : pick(types),
          ...(isLucky(0.3) && { serialNumber: String(Math.floor(Math.random() * 500)) }),
        }),
      )
      if (events.length === 0) return
      const { batchNumber, provider } = run
      await call('POST', `/print-runs/${batchNumber}/events`, { provider, body: { events } })
    }),
    'ask for reprints': withRun(working, async ({ batchNumber, provider }) => {
      const documents = await rowsOf<object>(
        `select document_id as "documentId", 'JAM' as "reasonCode" from print_run_document
         where batch_number = $1 and progress = 'SPOILED' and outcome is null`,
        batchNumber,
      )
      if (documents.length === 0) return
      await pool.query('update print_site set reprints_free_max = $1, reprints_free_percent = 0', [
        pick([0, 1, 2]),
      ])
      await call('POST', `/print-runs/${batchNumber}/reprints`, { provider, body: { documents } })
    }),
    'decide over a reprint': async () => {
      const [reprint] = await rowsOf<{ id: number }>(
        `select id from reprint where state = 'WAITING' order by random() limit 1`,
      )
      if (!reprint) return
      await inTransaction((tx) =>
        decideReprint(tx, {
          reprintId: reprint.id,
          decision: pick(['authorise', 'refuse'] as const),
          actor: 'consumer:operator',
          actorConsumerId: randomUUID(),
        }),
      )
    },
    post: async () => {
      const found = await findRuns(working, 6)
      const provider = found[0]?.provider
      const runs = found.filter((run) => run.provider === provider).slice(0, pick([1, 2, 3]))
      if (runs.length === 0) return
      const printRuns = await Promise.all(
        runs.map(async (run) => {
          const named = isLucky(0.5) ? some(await documentsOf(run), 0.3) : []
          const documentIds = named.map(({ documentId }) => documentId)
          return { batchNumber: run.batchNumber, ...(named.length > 0 && { documentIds }) }
        }),
      )
      const key = `posting ${Math.floor(Math.random() * 200)}`
      await call('POST', '/postings', { provider, key, body: { ...handedOver, printRuns } })
    },
    confirm: async () => {
      const [posting] = await rowsOf<{ id: string; provider: string }>(
        `select id, provider_id as provider from posting
         where confirmed_at is null or random() < 0.05 order by random() limit 1`,
      )
      if (!posting) return
      await call('POST', `/postings/${posting.id}/confirm`, { provider: posting.provider })
    },
    recall: withRun(['OPEN', 'RELEASED', 'CLAIMED', 'REFUSED', ...working], async (run) => {
      const documents = await rowsOf<{ document_id: string }>(
        'select document_id from print_run_document where batch_number = $1 and random() < 0.2',
        run.batchNumber,
      )
      const documentIds = documents.map(({ document_id }) => document_id)
      if (documentIds.length === 0) return
      const asked = { ...run, documentIds, reason: 'wrong fee', actor: 'consumer:operator' }
      await inTransaction((tx) => recallDocuments(tx, asked))
    }),
    'answer a recall': async () => {
      const [recall] = await rowsOf<{ id: string; provider: string; documentIds: string[] }>(
        `select id, provider_id as provider, array(
           select document_id from recall_document where recall_id = id) as "documentIds"
         from recall_request where state = 'OPEN' order by random() limit 1`,
      )
      if (!recall) return
      const { id, provider } = recall
      const tooLate = some(recall.documentIds, 0.3)
      const [answer, body] = isLucky(0.2)
        ? ['reject', { reason: 'all in the post' }]
        : ['accept', tooLate.length > 0 ? { tooLate } : {}]
      await call('POST', `/recall-requests/${id}/${answer}`, { provider, body })
    },
    move: withRun(['OPEN', 'RELEASED', 'CLAIMED', 'REFUSED'], async ({ batchNumber }) => {
      const providerId = pick(providers)
      const move = {
        batchNumber,
        providerId,
        printLocation: providerId.toUpperCase(),
        reason: 'no paper',
        nothingPrinted: true,
        actor: 'consumer:operator',
      }
      await inTransaction(async (tx) => {
        const { kind } = await reassignDocuments(tx, move)
        if (kind !== 'moved') throw new GivenUp(kind)
      })
    }),
    close: withRun([...working, 'REFUSED'], ({ batchNumber, provider }) =>
      call('POST', `/print-runs/${batchNumber}/close`, { provider }),
    ),
  }

  /** The more likely actions appear several times. */
  const deck = [
    ...Object.keys(actions),
    ...['build', 'build', 'claim', 'acknowledge', 'report', 'report', 'report', 'post', 'confirm'],
    ...['submit', 'delete', 'ask for reprints'],
  ]
  const rare = new Set(['switch a site', 'recall', 'move'])

  async function actOn(until: number): Promise<void> {
    while (performance.now() < until) {
      const name = pick(deck)
      if (rare.has(name) && isLucky(0.5)) continue
      try {
        await actions[name]!()
      } catch (error) {
        if (!(error instanceof GivenUp)) faults.push(`${name}: ${error}`)
      }
    }
  }

  return {
    faults,
    rage: (actors: number, forMs: number) =>
      Promise.all(Array.from({ length: actors }, () => actOn(performance.now() + forMs))),
  }
}
