// What a factory has decided and done about a print run, in a file of JSON lines that survives a crash.
import { appendFile, readFile } from 'node:fs/promises'

/**
 * @import { ItemEvent, PostingRequest } from '@despatch/client'
 * @typedef {Awaited<ReturnType<typeof openPrintLog>>} PrintLog
 */

/** @param {string} path */
export async function openPrintLog(path) {
  /** @type {Map<string, any>} */
  const entries = new Map()
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  for (const line of text.split('\n')) {
    const entry = parse(line)
    if (entry) entries.set(...entry)
  }
  const valuesOf = (/** @type {string} */ prefix) =>
    [...entries].flatMap(([key, value]) => (key.startsWith(prefix) ? [value] : []))

  const log = {
    /** @param {string} key */
    get: (key) => entries.get(key),

    /**
     * Returns what the log has under the key. If it has nothing yet, the value is decided and written down first. So
     * what follows is repeated after a crash with the same ids and the same content.
     *
     * @template Value
     * @param {string} key
     * @param {() => Value | Promise<Value>} decide
     * @returns {Promise<Value>}
     */
    async once(key, decide) {
      if (entries.has(key)) return entries.get(key)
      const value = await decide()
      // a crash may have left half a line, from which a line break keeps this one apart
      await appendFile(path, `\n${JSON.stringify([key, value])}`, { mode: 0o600, flush: true })
      entries.set(key, value)
      return value
    },

    /** @returns {ItemEvent[]} */
    events: () => valuesOf('event:'),

    /** @returns {ItemEvent[]} */
    unreported: () => log.events().filter(({ eventId }) => !entries.has(`result:${eventId}`)),

    /** Returns the postings, without those that Despatch did not save. */
    postings() {
      /** @type {{ number: number, request: PostingRequest }[]} */
      const postings = valuesOf('posting:')
      return postings.filter(({ number }) => !entries.has(`dropped:${number}`))
    },

    /** The number of the next posting. The number of one that was dropped is not used again. */
    nextPosting: () => valuesOf('posting:').length + 1,

    /** The documents that have left. */
    posted: () => new Set(log.postings().flatMap(({ request }) => request.documentIds ?? [])),

    /** The documents that were recalled in time. */
    stopped: () => new Set(valuesOf('recall:').flatMap(({ stopped }) => stopped)),

    /** Returns the documents that were printed and may be sent. An attempt without authorisation never leaves. */
    sendable() {
      const stopped = log.stopped()
      const refusalOf = (/** @type {ItemEvent} */ { eventId }) =>
        log.get(`result:${eventId}`)?.refusal
      return log
        .events()
        .filter((event) => event.type === 'PRINTED' && !stopped.has(event.documentId))
        .filter((event) => [undefined, 'already-reported'].includes(refusalOf(event)))
        .map(({ documentId }) => documentId)
    },
  }
  return log
}

/**
 * Returns nothing for the half line that a crash left. What it was about had not begun.
 *
 * @param {string} line
 * @returns {[string, any] | undefined}
 */
function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
