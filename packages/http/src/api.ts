import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Caller, Role } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import type { Logger } from '@despatch/telemetry/logger'
import { processMetrics, type Registry } from '@despatch/telemetry/metrics'
import {
  type MetricsExportSettings,
  openMetricsExport,
} from '@despatch/telemetry/open-metrics-export'
import type { Tracing } from '@despatch/telemetry/tracing'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify'
import type { AdmissionLimits } from './admission.ts'
import { collectMethods } from './allowed-methods.ts'
import { answerBelowRouting, type Refusing } from './answer-below-routing.ts'
import { type ConnectionSettings, limitConnections, serverOptionsOf } from './connection-limits.ts'
import { defaultHeaders } from './default-headers.ts'
import { createErrorHandler, type ErrorRenderer } from './error-handler.ts'
import { limitOpenBodies } from './limit-open-bodies.ts'
import { limitOpenRoutes, sourceRequestsPerSecondDefault } from './limit-sources.ts'
import { collectOpenApi, type OpenApiOptions, type SentHeaders } from './openapi.ts'
import { paceBodies } from './pace-bodies.ts'
import { readLargeBodies } from './read-large-bodies.ts'
import { type MemberReaderOf, readMembers } from './read-members.ts'
import {
  bodyValuesMaxDefault,
  correlationIdOf,
  createValidatorCompiler,
  type FaultsOf,
  jsonValueOf,
  parseJsonBody,
  plainFaults,
} from './read-request.ts'
import { createRefusalRecorder, createRequestRecorder, recordAbort } from './request-log.ts'
import { serveOpenApi } from './serve-openapi.ts'
import { admissionDefaults, shedLoad } from './shed-load.ts'
import './stopping.ts'
import { createSerializer, type StoredAnswers } from './stored-answers.ts'
import { traceRequests } from './trace-requests.ts'
import { type LimitUsage, limitRoutes } from './usage-limit.ts'
import { watchProxies } from './watch-proxies.ts'

declare module 'fastify' {
  interface FastifyInstance {
    metricsToken: string | null
    /** Refuses requests that have no route. */
    refusing: Refusing
  }
  interface FastifyRequest {
    /** Who makes the request. Set on every authenticated route. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** True if the route requires no authentication. */
    open?: boolean
    /** True if the route takes a password, which too many wrong attempts lock. The OpenAPI document says so. */
    locks?: boolean
    /** Headers of its responses that other operations do not send. The OpenAPI document lists them. */
    sends?: SentHeaders
    /** The caller must have one of these roles. The service checks it; the OpenAPI document says so. */
    roles?: readonly Role[]
  }
}

export type Api = ReturnType<typeof createFastify>

export type ApiOptions = ErrorRenderer & {
  name: string
  /** First part of every path, such as `/print-request`. Routes are registered with their full path. */
  prefix: `/${string}`
  log: Logger
  metrics: Registry
  /** Creates a span for each request. Without it, requests are not traced. */
  tracing?: Tracing
  openapi: OpenApiOptions
  /** For a gateway: returns how the API at a URL writes errors. Without it, all errors are written as those of this API. */
  rendererAt?: ((url: string) => ErrorRenderer) | undefined
  bodyBytesMax: number
  /** How many values a JSON body may have: objects, arrays, strings, numbers, true, false and null. Default 50,000. */
  bodyValuesMax?: number
  /** The load that the process accepts at once. Requests beyond it get 503. */
  admission?: AdmissionLimits
  /**
   * How many trusted proxies are in front of the service. Each adds the address of its caller to X-Forwarded-For, and
   * `request.ip` is the address of the outermost proxy's caller. Default 0: the header is ignored, because any caller
   * can send it. If given, a plainly wrong number causes a warning in the log.
   */
  trustedProxies?: number
  /** Requests per second from one source address to open routes. Default 50. */
  sourceRequestsPerSecond?: number
  /** Limits of the connections of a listening API. */
  connections?: ConnectionSettings
  /** The bearer token that GET /metrics requires. Without it, the route is open. */
  metricsToken?: string | undefined
  /** Whether and where the metrics are sent, besides GET /metrics. */
  metricsExport?: MetricsExportSettings
  /** Converts the issues of a body that a schema refuses into violations. */
  faultsOf?: FaultsOf
  /** Reads the members of each body before it is validated. Without it, unknown members are not counted. */
  memberReader?: MemberReaderOf
  /**
   * Returns the caller or throws a Problem. Without it every route is open. `source.ip` is the address of the caller
   * behind the trusted proxies.
   */
  authenticate?: (
    headers: IncomingHttpHeaders,
    source: { readonly ip: string },
  ) => Caller | Promise<Caller>
  /** Decides on each request to a route below the prefix, after the caller is known and before the body is read. */
  limit?: LimitUsage
}

const idleSweepMs = 50
// Fits a print job id of 255 characters with every character percent-encoded.
const pathParamCharactersMax = 1_024

/**
 * Creates an API: JSON in and out, one validation by zod schemas, a correlation id, one log line and one observation
 * for each request. Every error has the API's own shape. The OpenAPI document is at `<prefix>/v1/openapi.json`. The API
 * shares no state, so several can run in one process.
 */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { prefix, metrics, tracing, openapi, authenticate, limit, faultsOf = plainFaults } = options
  const { admission = admissionDefaults, trustedProxies, metricsToken } = options
  const { memberReader, bodyValuesMax = bodyValuesMaxDefault } = options
  const { sourceRequestsPerSecond = sourceRequestsPerSecondDefault } = options
  const { rendererAt } = options
  const onError = createErrorHandler(rendererAt ?? (() => options))
  const recordRequest = createRequestRecorder(metrics)
  const recordRefusal = createRefusalRecorder(options.log, metrics)
  const refusing = { ...options, recordRefusal }
  // The router refuses a malformed address before any hook runs.
  const api = createFastify(options, (error, request, reply) => {
    onError(error, request, addOwnHeaders(request, reply))
    recordRequest(request, reply)
  })

  const methodsOf = collectMethods(api)
  api.setValidatorCompiler(createValidatorCompiler(faultsOf))
  api.setSerializerCompiler(createSerializer)
  api.removeAllContentTypeParsers()
  paceBodies(api)
  readLargeBodies(api, options)
  api.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { bodyReader: reader } = request
    try {
      done(
        null,
        reader
          ? jsonValueOf(reader.end(), bodyValuesMax)
          : parseJsonBody(body as Buffer, bodyValuesMax),
      )
    } catch (error) {
      done(error as Error)
    }
  })

  api.setErrorHandler(onError)
  api.decorate('stopping', { hasBegun: false })
  api.decorate('metricsToken', metricsToken ?? null)
  const sending = await openMetricsExport(options.name, [metrics, processMetrics()], {
    settings: options.metricsExport ?? {},
    log: options.log,
  })
  api.addHook('onClose', () => sending.close())
  api.decorate('refusing', refusing)
  api.decorateRequest('logFields', null)
  api.decorateRequest('caller')
  api.decorateRequest('span', null)
  if (tracing?.isOn) traceRequests(api, prefix, tracing)
  api.addHook('onRequest', (request, reply, done) => {
    addOwnHeaders(request, reply)
    done()
  })
  api.addHook('onResponse', (request, reply, done) => {
    recordRequest(request, reply)
    done()
  })
  api.addHook('onRequestAbort', (request, done) => {
    recordAbort(request)
    done()
  })
  if (trustedProxies !== undefined) watchProxies(api, { prefix, trustedProxies })
  if (authenticate) requireCaller(api, authenticate)
  if (memberReader) readMembers(api, memberReader)
  shedLoad(api, { ...admission, prefix, metrics })
  if (limit) limitRoutes(api, prefix, limit)
  const limitSource = limitOpenRoutes(api, { requestsPerSecond: sourceRequestsPerSecond })
  // Runs before the body is read and parsed, and after what a service adds to every response.
  api.addHook('preParsing', (request, reply, _payload, done) => {
    try {
      if (request.is404) refuseUnknown(request, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply) => {
    limitSource(request, reply)
    const allowed = methodsOf(request.url)
    const isWrongMethod = allowed.length > 0 && !allowed.includes(request.method)
    if (!isWrongMethod) throw new Problem('route-not-found', 'The address does not exist')
    reply.header('allow', allowed.join(', '))
    throw new Problem('method-not-allowed', `The address accepts only ${allowed.join(', ')}`)
  }
  api.setNotFoundHandler(refuseUnknown)
  limitOpenBodies(api)
  limitConnections(api.server, options.connections)
  const refusingAt = rendererAt && ((url: string) => ({ ...rendererAt(url), recordRefusal }))
  answerBelowRouting(api.server, refusingAt ?? refusing)
  dropIdleConnectionsOnClose(api)

  await collectOpenApi(api, {
    ...openapi,
    countsUnknownMembers: memberReader !== undefined,
    errors: options,
  })
  serveOpenApi(api, prefix)
  return api
}

function addOwnHeaders({ id }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ ...defaultHeaders, 'x-correlation-id': id })
}

function createFastify(
  { log, bodyBytesMax, connections, trustedProxies = 0 }: ApiOptions,
  onRouterError: (error: Error, request: FastifyRequest, reply: FastifyReply) => void,
) {
  return Fastify({
    // Without a factory, the framework opens a second server for the other address of `localhost`, with none of our
    // limits.
    serverFactory: (handler) => createServer(serverOptionsOf(connections), handler),
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'correlationId',
    }),
    genReqId: correlationIdOf,
    bodyLimit: bodyBytesMax,
    trustProxy: trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies),
    return503OnClosing: false,
    frameworkErrors: onRouterError,
    routerOptions: { maxParamLength: pathParamCharactersMax },
  }).withTypeProvider<StoredAnswers>()
}

// The hook is added to each authenticated route, so open routes and unknown addresses do not pay for it.
function requireCaller(api: Api, authenticate: NonNullable<ApiOptions['authenticate']>): void {
  const findCaller: onRequestHookHandler = (request, _reply, done) => {
    const found = authenticate(request.headers, request)
    // A caller that is already known needs no promise.
    if (!(found instanceof Promise)) {
      request.caller = found
      return done()
    }
    found.then((caller) => {
      request.caller = caller
      done()
    }, done)
  }
  api.addHook('onRoute', (route) => {
    if (route.config?.open) return
    route.onRequest = [findCaller, ...[route.onRequest ?? []].flat()]
  })
}

// A kept-alive connection whose last response is sent after closing began would otherwise keep the server open.
function dropIdleConnectionsOnClose(api: Api): void {
  let sweep: NodeJS.Timeout | undefined
  api.addHook('preClose', (done) => {
    sweep = setInterval(() => api.server.closeIdleConnections(), idleSweepMs)
    done()
  })
  api.addHook('onClose', (_instance, done) => {
    clearInterval(sweep)
    done()
  })
}
