import {
  envJsonToBruV2,
  type Field,
  jsonToBruV2,
  jsonToCollectionBru,
  type Request,
} from '@usebruno/lang'
import { dereference, type Json } from '../../test/stack/dereference.ts'

/** The APIs of consumers and providers. Operators have the console and the command line. */
const apis = [
  'thirdparty-access',
  'print-request',
  'fulfilment',
  'vehicle-enquiry',
  'full-driver-enquiry',
  'driver-find',
]
const baseUrl = 'http://127.0.0.1:8080'
/** User names of the demonstration by the names of the environments. */
const callers = { consumer: 'demo-consumer', provider: 'demo-provider' }
/** Secret variables. Bruno keeps their values outside the files of the collection. */
const secrets = ['password', 'apiKey', 'newPassword']
const root = { version: '1', name: 'Despatch', type: 'collection' }
/** Variables that a request sets from its response. Others use them in their path, query and body. */
const captures: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  authenticate: { token: "res.body['id-token']" },
  submitPrintJob: { jobId: 'res.body.id' },
  listCallbacks: { callbackId: 'res.body.callbacks[0]?.callbackId' },
  createSigningSecret: { secretId: 'res.body.secretId' },
  listPrintRuns: { batchNumber: 'res.body.printRuns[0]?.batchNumber' },
  getManifest: {
    fulfilmentJobId: 'res.body.fulfilmentJobs[0]?.fulfilmentJobId',
    manifestDigest: 'res.body.manifestDigest',
    documentId: 'res.body.documents[0]?.documentId',
  },
  createPosting: { postingId: 'res.body.postingId' },
  listRecallRequests: { recallId: 'res.body.recallRequests[0]?.recallId' },
}
/** What runs before a request and after its response, so that the environment has the caller's new credentials. */
const scripts: Readonly<Record<string, { req?: string; res: string }>> = {
  changePassword: {
    req: "if (!bru.getEnvVar('newPassword')) throw new Error('Enter newPassword in the environment')",
    res: `if (res.status === 200) {
  bru.setEnvVar('password', bru.getEnvVar('newPassword'), { persist: true })
  bru.setEnvVar('newPassword', '', { persist: true })
}`,
  },
  changeApiKey: {
    res: "if (res.status === 200) bru.setEnvVar('apiKey', res.body.newApiKey, { persist: true })",
  },
}
const variables = new Set(['userName', ...secrets, ...Object.values(captures).flatMap(Object.keys)])

/** Returns the Bruno collection of the requests of OpenAPI documents: files by their path below `directory`. */
export function describeCollection(
  directory: string,
  readDocument: (api: string) => string,
): Record<string, string> {
  const folders = apis.flatMap((api, index) => [
    ...describeApi(api, index + 1, dereference(JSON.parse(readDocument(api)))),
  ])
  const files: [string, string][] = [
    ['bruno.json', `${JSON.stringify(root, null, 2)}\n`],
    [
      'collection.bru',
      jsonToCollectionBru({
        headers: [field('X-API-Key', '{{apiKey}}')],
        auth: { mode: 'bearer', bearer: { token: '{{token}}' } },
      }),
    ],
    ...Object.entries(callers).map(([name, userName]): [string, string] => [
      `environments/${name}.bru`,
      envJsonToBruV2({ variables: environmentOf(userName) }),
    ]),
    ...folders,
  ]
  return Object.fromEntries(files.map(([path, text]) => [`${directory}/${path}`, text]))
}

function environmentOf(userName: string) {
  const settings = Object.entries({ baseUrl, userName })
  return [
    ...settings.map(([name, value]) => ({ ...field(name, value), secret: false })),
    ...secrets.map((name) => ({ ...field(name, ''), secret: true })),
  ]
}

function* describeApi(
  api: string,
  seq: number,
  { info, paths }: Json,
): Generator<[string, string]> {
  const meta = { name: info.title, seq }
  yield [`${api}/folder.bru`, jsonToCollectionBru({ meta, auth: { mode: 'inherit' } })]
  const operations = Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  for (const [index, { path, method, operation }] of operations.entries()) {
    const request = requestOf(path, method, operation, index + 1)
    yield [`${api}/${operation.operationId}.bru`, jsonToBruV2(request)]
  }
}

function requestOf(path: string, method: string, operation: Json, seq: number): Request {
  const { operationId, summary, description = '', parameters, requestBody, security } = operation
  const json = requestBody?.content['application/json']
  const values = new Map<string, string>(parameters.map((each: Json) => [each.name, valueIn(each)]))
  const fieldsIn = (place: string): Field[] =>
    parameters
      .filter((each: Json) => each.in === place && each.name !== 'X-Correlation-ID')
      .map(({ name, required }: Json) => field(name, values.get(name)!, required === true))
  return {
    meta: { name: summary, type: 'http', seq },
    http: {
      method,
      url: `{{baseUrl}}${path.replace(/\{(\w+)\}/g, (_, name) => values.get(name)!)}`,
      body: json ? 'json' : 'none',
      auth: security?.some((scheme: Json) => scheme.jwt) ? 'inherit' : 'none',
    },
    params: fieldsIn('query').map((each) => ({ ...each, type: 'query' })),
    headers: fieldsIn('header'),
    body: json ? { json: withVariables(Object.values<Json>(json.examples)[0]!.value) } : {},
    vars: {
      res: Object.entries(captures[operationId] ?? {}).map(([name, value]) => ({
        ...field(name, value),
        local: false,
      })),
    },
    script: scripts[operationId] ?? {},
    docs: description,
  }
}

/** A key that makes a request idempotent is another in each request. */
function valueIn({ name, example = '' }: Json): string {
  if (variables.has(name)) return `{{${name}}}`
  return name === 'idempotency-key' ? '{{$guid}}' : String(example)
}

function withVariables(example: unknown): string {
  const replace = (key: string, value: unknown) =>
    variables.has(key) && typeof value === 'string' ? `{{${key}}}` : value
  return JSON.stringify(example, replace, 2)
}

function field(name: string, value: string, enabled = true): Field {
  return { name, value, enabled }
}
