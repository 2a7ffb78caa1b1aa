import * as fulfilment from '@despatch/contracts/print-fulfilment/operations'
import { printFulfilmentPrefix } from '@despatch/contracts/print-fulfilment/paths'
import * as production from '@despatch/contracts/print-fulfilment/production-operations'
import * as site from '@despatch/contracts/print-fulfilment/site-operations'
import * as access from '@despatch/contracts/thirdparty-access/operations'
import { thirdpartyAccessPrefix } from '@despatch/contracts/thirdparty-access/operations'

type Operation = { method: string; url: string }

/** The kind of a call: the name of a documented operation, a file by its link, the OpenAPI document, or unknown. */
export type CallKind = string

/** Path prefix of the kit's links to the object store. */
export const linkPrefix = '/presigned/'
export const fileCall = 'file'
export const unknownCall = 'unknown'

const operations = Object.entries({ ...fulfilment, ...production, ...site, ...access })
  .filter((entry): entry is [string, Operation & (typeof entry)[1]] => isOperation(entry[1]))
  .map(([name, { method, url }]) => ({
    name,
    method,
    pattern: new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }))

const documents = [printFulfilmentPrefix, thirdpartyAccessPrefix].map(
  (prefix) => `${prefix}/v1/openapi.json`,
)

/** Returns the operation of a call and its path parameters. */
export function nameCall(
  method: string,
  path: string,
): { kind: CallKind; params: Record<string, string> } {
  if (path.startsWith(linkPrefix)) return { kind: fileCall, params: {} }
  if (documents.includes(path)) return { kind: 'openapi', params: {} }
  const methodToFind = method === 'HEAD' ? 'GET' : method
  for (const { name, method: wanted, pattern } of operations) {
    const found = wanted === methodToFind && pattern.exec(path)
    if (found) return { kind: name, params: { ...found.groups } }
  }
  return { kind: unknownCall, params: {} }
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'method' in value && 'url' in value
}
