import { printFulfilmentValuesMax } from '@despatch/contracts/print-fulfilment/operations'
import { type ParsedJson, parseJson, repeatedMember } from '@despatch/domain/json/parse-json'
import { renderOwnPath } from '@despatch/domain/json/path'
import { invalidFields, Problem } from '@despatch/domain/problem'
import { type DroppedFile, droppedKinds } from './layout.ts'

/** A request of the provider interface. */
export type ApiRequest = {
  method: 'GET' | 'POST'
  /** Relative to `/print-fulfilment/v1`. */
  path: string
  idempotencyKey?: string
  body?: unknown
}

type Members = Record<string, unknown>

const idCharactersMax = 60

/**
 * Returns the request that a file represents. Members of the file that belong to the path form the path; the others
 * form the body. Throws a Problem if the file is not a JSON object, repeats a
 * member or lacks one of the path.
 */
export function readRequest({ name, kind }: DroppedFile, content: Uint8Array): ApiRequest {
  const members = parseObject(content)
  const post = (path: string, body?: unknown): ApiRequest => ({ method: 'POST', path, body })
  switch (kind) {
    case 'acknowledgement':
    case 'events':
    case 'reprints': {
      const { batchNumber, ...body } = members
      return post(`/print-runs/${idOf({ batchNumber })}/${kind}`, body)
    }
    case 'close':
      return post(`/print-runs/${idOf({ batchNumber: members.batchNumber })}/close`)
    case 'posting':
      return { ...post('/postings', members), idempotencyKey: name }
    case 'confirm':
      return post(`/postings/${idOf({ postingId: members.postingId })}/confirm`)
    case 'returns':
      return post('/returns', members)
    case 'heartbeat':
      return post('/heartbeat', members)
    case 'recall-answer': {
      const { recallId, answer, ...body } = members
      if (answer !== 'accept' && answer !== 'reject') throw invalid('answer', 'accept or reject')
      return post(`/recall-requests/${idOf({ recallId })}/${answer}`, body)
    }
  }
}

export function unknownFile(): Problem {
  return new Problem(
    'route-not-found',
    `The name of a file is <name>.<kind>.json, where kind is one of ${droppedKinds.join(', ')}`,
  )
}

const depthMax = 32
const valuesMax = printFulfilmentValuesMax

function parseObject(content: Uint8Array): Members {
  const parsed = parseJson(content, { depthMax, valuesMax })
  if (parsed.kind === 'value' && isObject(parsed.value)) return parsed.value
  throw new Problem('unreadable-body', faultOf(parsed))
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function faultOf(parsed: ParsedJson): string {
  switch (parsed.kind) {
    case 'value':
      return 'The file is not a JSON object'
    case 'exceeded':
      return `The file must have at most ${valuesMax} values, nested at most ${depthMax} deep`
    case 'repeated':
      return repeatedMember(renderOwnPath(parsed.path))
    default:
      return 'The file is not JSON in UTF-8'
  }
}

function idOf(member: Members): string {
  const [[field, value]] = Object.entries(member) as [[string, unknown]]
  // a URL drops the path segments `.` and `..`
  const isText = typeof value === 'string' && !/^\.{0,2}$/.test(value)
  if (!isText || value.length > idCharactersMax) {
    throw invalid(field, `a string of 1 to ${idCharactersMax} characters`)
  }
  return encodeURIComponent(value)
}

function invalid(field: string, wanted: string): Problem {
  return invalidFields([{ field, code: 'Invalid', detail: `${field} must be ${wanted}` }])
}
