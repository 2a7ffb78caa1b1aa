import type { PostingResponse } from '@despatch/contracts/print-fulfilment/posting'
import type { ApiRequest } from './dropped-request.ts'
import type { FileDropCaller, FileDropClient } from './file-drop-client.ts'

/**
 * Returns the batch numbers of the print runs that a request is about. Returns undefined if the request does not name
 * them, so that it may concern any run.
 */
export async function namedPrintRuns(
  client: FileDropClient,
  caller: FileDropCaller,
  { path, body }: ApiRequest,
): Promise<string[] | undefined> {
  const [, noun, id, action] = path.split('/')
  if (noun === 'print-runs' && id !== undefined) return [decodeURIComponent(id)]
  if (noun === 'heartbeat') return []
  if (noun !== 'postings') return undefined
  if (action === undefined) return namedByPosting(body)
  const { status, bytes } = await client.call(caller, { method: 'GET', path: `/postings/${id}` })
  return status === 200 ? namedByPosting(JSON.parse(bytes.toString())) : undefined
}

// The body is not validated yet.
function namedByPosting(body: unknown): string[] | undefined {
  const { batchNumber, printRuns } = body as Partial<PostingResponse>
  const named: unknown[] = Array.isArray(printRuns)
    ? printRuns.map((each: { batchNumber?: unknown } | null) => each?.batchNumber)
    : [batchNumber]
  const isNamed = named.every((each) => typeof each === 'string')
  return isNamed ? named : undefined
}
