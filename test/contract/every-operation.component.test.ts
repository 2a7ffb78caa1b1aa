import { type Role, serviceNames } from '@despatch/domain/access/caller'
import { operationRoles } from '@despatch/domain/access/operation-roles'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { createJudge } from '../fuzz/contract/judge-answer.ts'
import { nameOf, type Operation, readOperations } from '../fuzz/contract/operations.ts'
import { allOperations } from '../stack/all-operations.ts'
import { shapes } from './error-shapes.ts'
import { type Credentials, openServices } from './open-services.ts'
import { brokenRequests, type OperationRequest, soundRequest } from './requests.ts'

/** Of the documents, which guards compare with the code: a schema that became laxer does not follow itself. */
const operations = (await readOperations()).map((operation) => ({
  ...operation,
  name: nameOf(operation),
  broken: brokenRequests(operation),
}))
const services = await shared(openServices([...new Set(operations.map(({ api }) => api))]))
const judge = createJudge()

type DescribedOperation = (typeof operations)[number]

const roleSets: Role[][] = [
  ['consumer'],
  ['provider'],
  ['address-editor'],
  ['operator'],
  ['operator', 'address-editor'],
  ['admin'],
]
const holders = await Promise.all(
  roleSets.map(async (roles) => ({ roles, credentials: await services.aCaller(roles) })),
)
const mayAll = await services.aCaller(['consumer', 'provider', 'address-editor', 'admin'])
const ofNoService = await services.aCaller(['consumer'], [])
const cookie = await services.aConsoleCookie()

/** Credentials that are nobody's, although parts of them are somebody's. `of`: only for operations that take it. */
const foreign: { what: string; credentials: Credentials; of?: string }[] = [
  { what: 'none', credentials: {} },
  { what: 'no key', credentials: { authorization: mayAll.authorization } },
  { what: 'no key of ours', credentials: { ...mayAll, 'x-api-key': 'made up' } },
  { what: 'no token', of: 'jwt', credentials: { 'x-api-key': mayAll['x-api-key'] } },
  {
    what: "another's token",
    of: 'jwt',
    credentials: { ...mayAll, authorization: ofNoService.authorization },
  },
  // pages of other sites can send it, but not the header that belongs to it
  { what: 'the cookie of the console alone', of: 'administration', credentials: { cookie } },
]

test('the OpenAPI documents have every served operation, except those of the internal sources', () => {
  const described = operations.map(({ path, id }) => `${path.split('/')[1]} ${id}`)
  const served = allOperations.filter(({ api }) => api !== 'driver-sources')

  expect(described.sort()).toEqual(served.map(({ api, id }) => `${api} ${id}`).sort())
})

describe.each(operations.filter(({ credentials }) => credentials.length > 0))(
  '$name',
  (operation) => {
    const shape = shapes[operation.api]!

    test('refuses incomplete credentials', async () => {
      const takes: readonly unknown[] = [undefined, operation.api, ...operation.credentials]
      for (const { what, credentials } of foreign.filter(({ of }) => takes.includes(of))) {
        const answer = await call(operation, credentials)
        expect({ what, ...answer }).toEqual({ what, ...shape.unauthenticated })
      }
    })

    test('answers 403 to exactly the callers without its role or its service', async () => {
      for (const { roles, credentials } of holders) {
        const answer = await call(operation, credentials)
        const lacking = lackingRole(operation, roles)
        if (lacking === undefined) expect([401, 403], `${roles}`).not.toContain(answer.status)
        else expect({ roles, ...answer }).toEqual({ roles, ...shape.forbidden(requires(lacking)) })
      }
      if (!serviceNames.some((name) => name === operation.api)) return
      const detail = `The credentials are not for the service ${operation.api}`
      expect(await call(operation, ofNoService)).toEqual(shape.forbidden(detail))
    })
  },
)

const breakable = operations.filter(({ broken }) => broken.length > 0)

test('most operations have a request that breaks their document', () => {
  expect(breakable.length).toBeGreaterThan(100)
  const faults = breakable.flatMap(({ broken }) => broken.flatMap((each) => each.faults))
  expect(faults.length).toBeGreaterThan(1_300)
})

test.each(breakable)(
  '$name: 400 names each field that violates the document',
  async (operation) => {
    const { invalid } = shapes[operation.api]!
    for (const { faults, request } of operation.broken) {
      const { status, body } = await call(operation, mayAll, request)
      const errors = Array.isArray(body) ? body : (body as { errors: unknown[] }).errors
      expect({ status, errors }).toEqual({
        status: 400,
        errors: expect.arrayContaining(faults.map(invalid)),
      })
    }
  },
)

/** The code of a 404 by the part of the path that is not there. Null: it always is, or the operation creates it. */
const codesOf404: Readonly<Record<string, string | null>> = {
  consumerId: 'ConsumerNotFound',
  jobId: '5',
  printJobKey: '5',
  documentId: 'DocumentNotFound',
  fulfilmentJobId: 'FulfilmentJobNotFound',
  batchNumber: 'PrintRunNotFound',
  providerId: 'ProviderNotFound',
  printLocation: 'PrintSiteNotFound',
  postingId: 'PostingNotFound',
  recallId: 'RecallNotFound',
  reprintId: 'ReprintNotFound',
  callbackId: 'CallbackNotFound',
  secretId: 'SigningSecretNotFound',
  bulkActionId: 'BulkActionNotFound',
  recordSetId: 'RecordSetNotFound',
  version: 'TemplateNotFound',
  queue: null,
  name: null,
  jobType: null,
  templateReference: null,
  page: null,
}

const lookups = operations.flatMap((operation) => {
  const isOpen = operation.credentials.length === 0
  const parts = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part!)
  const unknown = parts.filter((part) => !isOpen && codesOf404[part] === undefined)
  if (unknown.length > 0) throw new Error(`${operation.name}: what if ${unknown} is not there?`)
  const part = Object.keys(codesOf404).find((each) => parts.includes(each) && codesOf404[each])
  return isOpen || !part ? [] : [{ ...operation, code: codesOf404[part] }]
})

test.each(lookups)('$name: 404 for an unknown id, and nothing is audited', async (lookup) => {
  const { code, ...operation } = lookup
  const request = soundRequest(operation)
  const before = await services.countAuditEvents()

  const { status, body } = await call(operation, mayAll, request)

  const { providerId } = JSON.parse(request.body ?? '{}')
  const [error] = (body as { errors: { code: string; detail: string }[] }).errors
  // a new provider is looked for before the print run is
  const codes = [code, ...(providerId ? [codesOf404.providerId] : [])]
  expect({ status, codes }).toEqual({ status: 404, codes: expect.arrayContaining([error!.code]) })
  const names = [...Object.values(request.path), providerId ?? []].flat()
  expect(names.filter((name) => error!.detail.includes(name))).not.toEqual([])
  expect(await services.countAuditEvents()).toBe(before)
})

/** Sends the request, and requires an answer that the document of the operation describes. */
async function call(
  operation: DescribedOperation,
  credentials: Credentials,
  request: OperationRequest = refusedRequest(operation),
): Promise<{ status: number; body: unknown }> {
  const { method, path } = operation
  const { statusCode, headers, rawPayload } = await services.api(operation.api).inject({
    method: method as 'GET',
    url: path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(`${request.path[name]}`)),
    query: request.query as Record<string, string | string[]>,
    headers: { ...request.headers, ...credentials, ...contentTypeOf(operation) },
    ...(method !== 'GET' && request.body !== undefined && { payload: request.body }),
  })
  const answer = { status: statusCode, headers, body: rawPayload }
  expect(judge({ operation, ...request } as never, { answer } as never)).toBeUndefined()
  const isJson = String(headers['content-type']).startsWith('application/json')
  return { status: statusCode, body: isJson ? JSON.parse(rawPayload.toString()) : undefined }
}

/** Returns a request that is refused once its caller is known, so that the operation changes nothing. */
function refusedRequest(operation: DescribedOperation): OperationRequest {
  const [broken] = operation.broken
  return broken?.request ?? { ...soundRequest(operation), body: '{' }
}

/** Returns the role that the refusal names; undefined if these roles may use the operation. */
function lackingRole({ api, id }: Operation, roles: readonly Role[]): Role | undefined {
  if (api === 'thirdparty-access') return undefined
  if (api !== 'administration') {
    const role = api === 'fulfilment' ? 'provider' : 'consumer'
    return roles.includes(role) ? undefined : role
  }
  if (!roles.includes('operator') && !roles.includes('admin')) return 'operator'
  const required: readonly Role[] = operationRoles[id as keyof typeof operationRoles]
  return required.some((role) => roles.includes(role)) ? undefined : required[0]
}

function requires(role: Role): string {
  return `This operation requires the role ${role}`
}

function contentTypeOf({ method, body }: Operation) {
  return method !== 'GET' && { 'content-type': body?.contentType ?? 'application/json' }
}
