import { printFulfilmentBytesMax } from '@despatch/contracts/print-fulfilment/operations'
import { renderFulfilmentProblem } from '@despatch/contracts/print-fulfilment/problems'
import type { CloseResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import { Problem } from '@despatch/domain/problem'
import type { ObjectHead, ObjectStore } from '@despatch/object-store/object-store'
import { clearRun } from './clear-run.ts'
import { type ApiRequest, readRequest, unknownFile } from './dropped-request.ts'
import type { FileDropCaller, FileDropClient } from './file-drop-client.ts'
import { answerName, type FileDropKeys, fileDropKeys, parseFileName } from './layout.ts'
import { putJson } from './put-json.ts'

export type FileDropObjects = Pick<ObjectStore, 'head' | 'get' | 'put' | 'copy' | 'remove' | 'list'>
type Effects = { objects: FileDropObjects; client: FileDropClient }
type Told = { status: number; body: unknown }

const filesMax = 500

/**
 * Takes what a provider laid down, in the order of the names, and answers each file beside it: in `ack/` or in `error/`, where
 * a refused file goes too. The answer is there before the file is gone, and every operation may be repeated: whatever a
 * process leaves half done is done again. What cannot be decided at present stops the provider's files where they are.
 */
export async function takeFilesIn(
  { signal, ...effects }: Effects & { signal: AbortSignal },
  caller: FileDropCaller,
): Promise<'again' | 'idle'> {
  const keys = fileDropKeys(caller.providerId)
  const found = await effects.objects.list(keys.in, { keysMax: filesMax })
  for (const key of found) {
    signal.throwIfAborted()
    // some programs make an object for a folder
    if (key.endsWith('/')) continue
    if ((await takeFile(effects, caller, keys, key)) === 'later') return 'idle'
  }
  return found.length === filesMax ? 'again' : 'idle'
}

async function takeFile(
  { objects, client }: Effects,
  caller: FileDropCaller,
  keys: FileDropKeys,
  key: string,
): Promise<'taken' | 'later'> {
  const head = await objects.head(key)
  if (!head) return 'taken'
  const text = key.slice(keys.in.length)
  const told = await tell({ objects, client }, caller, { key, text, head })
  if (told.status === 429 || told.status >= 500) return 'later'

  const answer = answerName(text)
  if (told.status < 300) {
    // nobody needs the files of a run whose every document is accounted for
    if (isClosed(text)) await clearRun(objects, keys, (told.body as CloseResponse).batchNumber)
    await putJson(objects, keys.ack(answer), told)
  } else {
    await objects.copy(key, keys.errorInput(answer), head)
    await putJson(objects, keys.error(answer), told)
  }
  // one that was laid over it meanwhile is taken next
  if ((await objects.head(key))?.etag === head.etag) await objects.remove(key)
  return 'taken'
}

function isClosed(text: string): boolean {
  return parseFileName(text)?.kind === 'close'
}

async function tell(
  { objects, client }: Effects,
  caller: FileDropCaller,
  file: { key: string; text: string; head: ObjectHead },
): Promise<Told> {
  let request: ApiRequest
  try {
    request = await readFile(objects, file)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, body } = renderFulfilmentProblem(error)
    return { status, body }
  }
  const { status, bytes } = await client.call(caller, request)
  return { status, body: bytes.length === 0 ? null : JSON.parse(bytes.toString()) }
}

async function readFile(
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
