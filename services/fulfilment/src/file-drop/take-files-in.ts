import { printFulfilmentBytesMax } from '@despatch/contracts/print-fulfilment/operations'
import { renderFulfilmentProblem } from '@despatch/contracts/print-fulfilment/problems'
import type { CloseResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import { Problem } from '@despatch/domain/problem'
import type { ObjectHead, ObjectStore } from '@despatch/object-store/object-store'
import type { Logger } from '@despatch/telemetry/logger'
import { type ApiRequest, readRequest, unknownFile } from './dropped-request.ts'
import type { FileDropCaller, FileDropClient } from './file-drop-client.ts'
import { clearRun, putJson } from './folder.ts'
import { answerName, type FileDropKeys, fileDropKeys, parseFileName } from './layout.ts'
import { namedPrintRuns } from './named-print-runs.ts'

export type FileDropObjects = Pick<ObjectStore, 'head' | 'get' | 'put' | 'copy' | 'remove' | 'list'>
type Effects = { objects: FileDropObjects; client: FileDropClient; log: Logger }
type Outcome = { status: number; body: unknown }

const filesMax = 500
/** Once the requests of this many files have failed with 500, the files are not the cause, and the pass ends. */
const undecidedMax = 5

/**
 * Takes a provider's files in the order of their names, and writes the response to each into `ack/` or `error/`. A
 * refused file itself goes to `error/` too. The response is written before the file is removed, and every operation is
 * idempotent, so another process can repeat what a process left unfinished. A file whose request fails with 429 or 5xx
 * stays, to be retried. It also holds up later files that name the same print runs, or that do not say which runs they
 * are about: printing must be reported before posting.
 */
export async function takeFilesIn(
  { signal, ...effects }: Effects & { signal: AbortSignal },
  caller: FileDropCaller,
): Promise<'again' | 'idle'> {
  const keys = fileDropKeys(caller.providerId)
  const found = await effects.objects.list(keys.in, { keysMax: filesMax })
  const held = new Set<string>()
  let undecided = 0
  for (const key of found) {
    signal.throwIfAborted()
    // some programs create an object for a folder
    if (key.endsWith('/')) continue
    const result = await takeFile(effects, caller, { keys, key, held })
    if (result === 'undecided') undecided += 1
    if (result === 'later' || undecided === undecidedMax) return 'idle'
  }
  return found.length === filesMax && held.size === 0 ? 'again' : 'idle'
}

async function takeFile(
  { objects, client, log }: Effects,
  caller: FileDropCaller,
  { keys, key, held }: { keys: FileDropKeys; key: string; held: Set<string> },
): Promise<'taken' | 'held' | 'undecided' | 'later'> {
  const head = await objects.head(key)
  if (!head) return 'taken'
  const text = key.slice(keys.in.length)
  const request = await readFile(objects, { key, text, head })
  if (held.size > 0 && !('status' in request)) {
    const named = await namedPrintRuns(client, caller, request)
    if (!named) return 'held'
    if (named.some((batchNumber) => held.has(batchNumber))) return hold(held, named)
  }
  const outcome = 'status' in request ? request : await callApi(client, caller, request)
  if (outcome.status === 429 || outcome.status >= 500) {
    const named = 'status' in request ? undefined : await namedPrintRuns(client, caller, request)
    log.error(
      { providerId: caller.providerId, batchNumbers: named, status: outcome.status },
      'file-drop.undecided',
    )
    if (!named || outcome.status !== 500) return 'later'
    hold(held, named)
    return 'undecided'
  }

  const answer = answerName(text)
  if (outcome.status < 300) {
    // every document of a closed run is accounted for, so its files are no longer required
    if (isClosed(text)) await clearRun(objects, keys, (outcome.body as CloseResponse).batchNumber)
    await putJson(objects, keys.ack(answer), outcome)
  } else {
    await objects.copy(key, keys.errorInput(answer), head)
    await putJson(objects, keys.error(answer), outcome)
  }
  // If another file has replaced it in the meantime, the next pass takes that file.
  if ((await objects.head(key))?.etag === head.etag) await objects.remove(key)
  return 'taken'
}

function isClosed(text: string): boolean {
  return parseFileName(text)?.kind === 'close'
}

function hold(held: Set<string>, named: readonly string[]): 'held' {
  for (const batchNumber of named) held.add(batchNumber)
  return 'held'
}

async function callApi(
  client: FileDropClient,
  caller: FileDropCaller,
  request: ApiRequest,
): Promise<Outcome> {
  const { status, bytes } = await client.call(caller, request)
  return { status, body: bytes.length === 0 ? null : JSON.parse(bytes.toString()) }
}

/** Returns the request in a file, or the response that says why the file holds no valid request. */
async function readFile(
  objects: FileDropObjects,
  { key, text, head }: { key: string; text: string; head: ObjectHead },
): Promise<ApiRequest | Outcome> {
  try {
    return await parseFile(objects, { key, text, head })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, body } = renderFulfilmentProblem(error)
    return { status, body }
  }
}

async function parseFile(
  objects: FileDropObjects,
  { key, text, head }: { key: string; text: string; head: ObjectHead },
): Promise<ApiRequest> {
  const file = parseFileName(text)
  if (!file) throw unknownFile()
  if (head.bytes > printFulfilmentBytesMax) {
    throw new Problem('body-too-large', `The file is over ${printFulfilmentBytesMax} bytes`)
  }
  const object = await objects.get(key, { bytesMax: printFulfilmentBytesMax })
  if (!object || object.etag !== head.etag) throw new Error('A file changed while it was read')
  return readRequest(file, object.bytes)
}
