// Prints as a print provider, until Ctrl-C: node print-runs.mjs folder
// It takes each print run that is offered and saves its files, then reports, reprints, posts and closes. After a crash,
// start it again with the same folder, and it continues. A real factory deletes the files of a run that is closed.
// --once: look for work once. --poll-seconds 10: the pause before it looks again. --spoil-every 10: pretend that every
// tenth document of a run is torn.
import { access, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DespatchError, ProviderClient } from '@despatch/client'
import { openPrintLog } from './print-log.mjs'

/**
 * @import { Acknowledgement, ManifestDocument, PrintRun } from '@despatch/client'
 * @import { PrintLog } from './print-log.mjs'
 * @typedef {Pick<ManifestDocument, 'documentId' | 'attempt' | 'content' | 'sha256'>} Attempt
 */

const { DESPATCH_URL = 'http://127.0.0.1:8080', DESPATCH_USER = '' } = process.env
const { DESPATCH_PASSWORD = '', DESPATCH_API_KEY = '' } = process.env

const leaseSeconds = 3_600
const triesMax = 3
/** The most events of a request. */
const eventsMax = 2_500
const offered = 'RELEASED'
const begun = ['CLAIMED', 'ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'IN_PRODUCTION', 'POSTED']
const allStates = [...begun, 'RECONCILED', offered]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    once: { type: 'boolean' },
    'poll-seconds': { type: 'string', default: '10' },
    'spoil-every': { type: 'string', default: '0' },
  },
})
const [folder = 'print-runs'] = positionals
const pollMs = Number(values['poll-seconds']) * 1_000
const spoilEvery = Number(values['spoil-every'])

const despatch = new ProviderClient({
  baseUrl: DESPATCH_URL,
  userName: DESPATCH_USER,
  password: DESPATCH_PASSWORD,
  apiKey: DESPATCH_API_KEY,
})

/** @type {Map<string, PrintRun>} */
const unfinished = new Map()
/** Whether `unfinished` has every run that was begun. At the start and after a failure, Despatch is asked. */
let isKnown = false

for (;;) {
  await lookForWork()
  if (values.once) {
    process.exitCode = isKnown ? 0 : 1
    break
  }
  await pause(pollMs)
}

/** Takes each run as far as it goes. What fails is repeated the next time. */
async function lookForWork() {
  await tryTo('looking for work', async () => {
    if (!isKnown) unfinished.clear()
    for (const state of isKnown ? [offered] : allStates) {
      for await (const run of despatch.listPrintRuns({ state }))
        unfinished.set(run.batchNumber, run)
    }
    isKnown = true
  })
  for (const run of [...unfinished.values()]) await tryTo(run.batchNumber, () => advance(run))
}

/**
 * @param {string} what
 * @param {() => Promise<void>} work
 */
async function tryTo(what, work) {
  try {
    await work()
  } catch (error) {
    if (isTimeout(error)) console.error(`${what}: the lease has ended`)
    else if (error instanceof DespatchError) console.error(`${what}: ${error.message}`)
    else throw error
    isKnown = false
  }
}

/** @param {PrintRun} run */
async function advance(run) {
  const { batchNumber } = run
  await mkdir(join(folder, batchNumber), { recursive: true })
  const log = await openPrintLog(join(folder, batchNumber, 'print-log.jsonl'))
  if (run.state === offered || run.state === 'CLAIMED') {
    await takeIn(run, log)
    run.state = 'ACCEPTED'
  }
  const acknowledgement = log.get('acknowledgement')
  if (!acknowledgement) {
    // without the log of what was printed, it could be printed twice
    console.error(`${batchNumber}: left alone, because its print log is not in ${folder}`)
    unfinished.delete(batchNumber)
    return
  }
  const refused = new Set(idsOf(acknowledgement.refusals ?? []))
  const { documents } = await readManifest(batchNumber)
  const accepted = documents.filter(({ documentId }) => !refused.has(documentId))

  await answerRecalls(batchNumber, log)
  await print(batchNumber, log, accepted)
  await answerRecalls(batchNumber, log)
  const posted = log.posted()
  await post(
    batchNumber,
    log,
    log.sendable().filter((documentId) => !posted.has(documentId)),
  )
  await close(batchNumber, log)
}

/**
 * Claims the run, saves its files, and acknowledges it. If the lease ends first, the same run is offered again, and the
 * files that were saved stay.
 *
 * @param {PrintRun} run
 * @param {PrintLog} log
 */
async function takeIn({ batchNumber, state, leaseUntil = 'never' }, log) {
  let leaseMs = leaseSeconds * 1_000
  if (state === offered) {
    // The same key repeats the old answer, so a run that is offered again requires another one.
    const idempotencyKey = `${batchNumber}:leased:${leaseUntil}`
    const claim = await despatch.claimPrintRun(batchNumber, { idempotencyKey, leaseSeconds })
    leaseMs = Math.min(leaseMs, Date.parse(claim.leaseUntil) - Date.parse(claim.claimedAt))
  } else {
    await despatch.renewLease(batchNumber, { leaseSeconds })
  }
  const leaseEnds = AbortSignal.timeout(Math.max(leaseMs, 0))
  const { totals, manifestDigest, documents } = await readManifest(batchNumber)
  /** @returns {Promise<Acknowledgement>} */
  const examine = async () => {
    const refusals = []
    for (const document of documents) {
      const fault = await saveFile(batchNumber, document, leaseEnds)
      if (fault) refusals.push({ documentId: document.documentId, ...fault })
    }
    const { documentCount, sheetCount } = totals
    const counted = { documentCount, sheetCount, manifestDigest }
    return refusals.length > 0 ? { ...counted, refusals } : counted
  }
  // written down before it is sent, because it may be repeated with the same content only
  const acknowledgement = await log.once('acknowledgement', examine)
  await despatch.acknowledge(batchNumber, acknowledgement)
  for (const { documentId, reason } of acknowledgement.refusals ?? [])
    console.error(`${batchNumber}: ${documentId} is refused: ${reason}`)
}

/**
 * The client checks the digest. A manifest that was damaged on its way is read again.
 *
 * @param {string} batchNumber
 */
async function readManifest(batchNumber) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await despatch.getManifest(batchNumber)
    } catch (error) {
      if (!isNotVerified(error) || tries === triesMax) throw error
    }
  }
}

/**
 * Saves the file of an attempt unless it is there. Returns the reason if it cannot be printed.
 *
 * @param {string} batchNumber
 * @param {Attempt} document
 * @param {AbortSignal} [signal]
 */
async function saveFile(batchNumber, document, signal) {
  const path = join(folder, batchNumber, `${document.documentId}-${document.attempt}.pdf`)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) return undefined
  for (let tries = 1; tries <= triesMax; tries += 1) {
    try {
      const file = await despatch.getDocument(document, { signal })
      if (new TextDecoder('latin1').decode(file.subarray(0, 5)) !== '%PDF-')
        return { reasonCode: 'FILE_UNREADABLE', reason: 'The file is not a PDF' }
      await writeFile(`${path}.new`, file)
      await rename(`${path}.new`, path)
      return undefined
    } catch (error) {
      if (!isNotVerified(error)) throw error
    }
  }
  return {
    reasonCode: 'FILE_DAMAGED',
    reason: 'The file does not have the SHA-256 of the manifest',
  }
}

/**
 * Prints the documents and reports them. For each spoiled one it asks for another attempt, which it prints once that is
 * authorised: at once or at a later time.
 *
 * @param {string} batchNumber
 * @param {PrintLog} log
 * @param {readonly ManifestDocument[]} documents
 */
async function print(batchNumber, log, documents) {
  const isTorn = ({ sequence = 0 }) => spoilEvery > 0 && sequence % spoilEvery === 0
  await printAttempts(batchNumber, log, documents, isTorn)
  await report(batchNumber, log)

  const stopped = log.stopped()
  const spoiled = log.events().filter(({ type }) => type === 'SPOILED')
  if (spoiled.length === 0) return
  for (const { documentId, attempt } of spoiled) {
    if (stopped.has(documentId)) continue
    const request = [{ documentId, reasonCode: 'INSERTER_JAM' }]
    await log.once(`reprint:${documentId}:${attempt}`, () =>
      despatch.requestReprints(batchNumber, request),
    )
  }
  const authorised = []
  for await (const reprint of despatch.listReprints(batchNumber, { state: 'AUTHORISED' }))
    authorised.push(reprint)
  await printAttempts(batchNumber, log, authorised, () => false)
  await report(batchNumber, log)
}

/**
 * A real factory prints here. The log has an attempt first, so that no crash prints it twice. If a factory does not know
 * whether a sheet was printed before a crash, it looks; if it cannot find out, it reports the attempt as SPOILED.
 *
 * @template {Attempt} Printable
 * @param {string} batchNumber
 * @param {PrintLog} log
 * @param {readonly Printable[]} attempts
 * @param {(document: Printable) => boolean} isTorn
 */
async function printAttempts(batchNumber, log, attempts, isTorn) {
  const stopped = log.stopped()
  for (const document of attempts) {
    const { documentId, attempt } = document
    const key = `event:${documentId}:${attempt}`
    if (stopped.has(documentId) || log.get(key)) continue
    const fault = await saveFile(batchNumber, document)
    const tear = isTorn(document) && { reasonCode: 'INSERTER_JAM', reason: 'Torn in the inserter' }
    const type = fault ? 'FAILED' : tear ? 'SPOILED' : 'PRINTED'
    await log.once(key, () => ({
      eventId: `${batchNumber}:${documentId}:${attempt}:${type}`,
      documentId,
      attempt,
      type,
      occurredAt: new Date().toISOString(),
      ...(fault ?? tear),
    }))
  }
}

/**
 * Reports the events that have no result. One that is refused is impossible, and is not sent again.
 *
 * @param {string} batchNumber
 * @param {PrintLog} log
 */
async function report(batchNumber, log) {
  const events = log.unreported()
  for (let from = 0; from < events.length; from += eventsMax) {
    const part = events.slice(from, from + eventsMax)
    for (const result of await despatch.reportEvents(batchNumber, part)) {
      await log.once(`result:${result.eventId}`, () => result)
      if (result.refusal) console.error(`${result.eventId} is refused: ${result.refusal}`)
    }
  }
}

/**
 * Stops each recalled document that has not left.
 *
 * @param {string} batchNumber
 * @param {PrintLog} log
 */
async function answerRecalls(batchNumber, log) {
  for await (const recall of despatch.listRecallRequests({ state: 'OPEN' })) {
    if (recall.batchNumber !== batchNumber) continue
    const { recallId } = recall
    const ids = idsOf(recall.documents)
    const { stopped, tooLate } = await log.once(`recall:${recallId}`, () => {
      const posted = log.posted()
      return {
        stopped: ids.filter((id) => !posted.has(id)),
        tooLate: ids.filter((id) => posted.has(id)),
      }
    })
    if (stopped.length > 0) await despatch.acceptRecall(recallId, { tooLate })
    else await despatch.rejectRecall(recallId, 'All of it has left')
    console.error(`${batchNumber}: ${stopped.length} of ${ids.length} recalled are stopped`)
  }
}

/**
 * Posts the documents, and whatever was to be posted before a crash. A posting is written down with its key before it is
 * sent, so that a repeat is the same posting.
 *
 * @param {string} batchNumber
 * @param {PrintLog} log
 * @param {readonly string[]} documentIds
 */
async function post(batchNumber, log, documentIds) {
  if (documentIds.length > 0) {
    const number = log.nextPosting()
    const handover = { carrier: 'Royal Mail', handoverAt: new Date().toISOString() }
    const request = { batchNumber, documentIds, ...handover }
    await log.once(`posting:${number}`, () => ({ number, request }))
  }
  for (const { number, request } of log.postings()) {
    if (log.get(`confirmed:${number}`)) continue
    const idempotencyKey = `${batchNumber}:posting:${number}`
    try {
      const { postingId } = await despatch.createPosting(request, { idempotencyKey })
      await despatch.confirmPosting(postingId)
      await log.once(`confirmed:${number}`, () => postingId)
    } catch (error) {
      // Nothing was saved, because a document was recalled since, for example. The others go with the next posting.
      if (codeOf(error) === 'PostingConflict') await log.once(`dropped:${number}`, () => true)
      throw error
    }
  }
}

/**
 * Closes the run. It is refused while documents have no outcome. Those that Despatch does not know as posted are posted
 * again. The others, such as a reprint that waits for authorisation, are left for a later time.
 *
 * @param {string} batchNumber
 * @param {PrintLog} log
 */
async function close(batchNumber, log) {
  for (const isLast of [false, true]) {
    const closed = await despatch.closePrintRun(batchNumber).catch((error) => {
      if (codeOf(error) !== 'DocumentsUnaccounted') throw error
    })
    if (closed) {
      unfinished.delete(batchNumber)
      return console.log(batchNumber, closed.state, closed.despatched)
    }
    const missing = await listMissing(batchNumber)
    const sendable = new Set(log.sendable())
    const lost = missing.filter(({ documentId, isPosted }) => !isPosted && sendable.has(documentId))
    if (isLast || lost.length === 0) {
      const waiting = missing.map(({ documentId, progress }) => `${documentId} (${progress})`)
      return console.error(`${batchNumber}: waits for ${waiting.join(', ')}`)
    }
    await post(batchNumber, log, idsOf(lost))
  }
}

/** @param {string} batchNumber */
async function listMissing(batchNumber) {
  const missing = []
  /** @type {string | undefined} */
  let cursor
  do {
    const page = await despatch.getReconciliation(batchNumber, { cursor })
    missing.push(...page.missingDocuments)
    cursor = page.nextCursor
  } while (cursor)
  return missing
}

/** @param {readonly { documentId: string }[]} documents */
function idsOf(documents) {
  return documents.map(({ documentId }) => documentId)
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof DespatchError ? error.code : undefined
}

/** @param {unknown} error */
function isNotVerified(error) {
  return error instanceof DespatchError && error.kind === 'not-verified'
}

/** @param {unknown} error */
function isTimeout(error) {
  return error instanceof Error && error.name === 'TimeoutError'
}
