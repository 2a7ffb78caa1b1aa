import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import type { Logger } from '@despatch/telemetry/logger'
import type { Registry } from '@despatch/telemetry/metrics'
import type { Tracing } from '@despatch/telemetry/tracing'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { AdmissionLimits } from './admission.ts'
import { correlationIdOf } from './correlation-id.ts'
import { createErrorHandler, type ErrorRenderer } from './error-handler.ts'
import { parseJsonBody } from './json-body.ts'
import { collectOpenApi, type OpenApiOptions } from './openapi.ts'
import { createRequestRecorder, recordAbort } from './request-log.ts'
import { admissionDefaults, shedLoad } from './shed-load.ts'
import './stopping.ts'
import { traceRequests } from './trace-requests.ts'
import { type LimitUsage, limitRoutes } from './usage-limit.ts'
import { createValidatorCompiler, type FaultsOf, plainFaults } from './zod-validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request. Set on every route that is not open. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** True: the route can be used without authentication. */
    open?: boolean
  }
}

export type Api = ReturnType<typeof createFastify>

export type ApiOptions = ErrorRenderer & {
  name: string
  /** First part of every path, such as `/print-request`. Routes are added with their whole path. */
  prefix: `/${string}`
  log: Logger
  metrics: Registry
  /** Makes a span of each request. Without it none is. */
  tracing?: Tracing
  openapi: OpenApiOptions
  bodyBytesMax: number
  /** What the process takes on at once: more is answered 503. */
  admission?: AdmissionLimits
  /**
   * How many proxies stand in front, each of which adds the address it was called from to X-Forwarded-For. `request.ip` is
   * then that of their caller. 0 when absent: the header, which anybody may send, is not looked at.
   */
  trustedProxies?: number
  /** Names the faults of a body that a schema refuses. */
  faultsOf?: FaultsOf
  /** Finds the caller or throws a Problem. Without it every route is open. */
  authenticate?: (headers: IncomingHttpHeaders) => Caller | Promise<Caller>
  /** Decides on each request to a route below the prefix: once the caller is known, before the body is read. */
  limit?: LimitUsage
}

const requestTimeoutMs = 120_000
const idleSweepMs = 50
// Room for a print job id of 255 characters with every one of them percent-encoded.
const pathParamCharactersMax = 1_024

/**
 * Makes an API: JSON in and out, zod schemas validated once, a correlation id, one log line and one
 * observation for each request, every error in the API's own shape, and its OpenAPI document at
 * `<prefix>/v1/openapi.json`. It has no state outside itself, so that several can share a process.
 */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { prefix, metrics, tracing, openapi, authenticate, limit, faultsOf = plainFaults } = options
  const { admission = admissionDefaults } = options
  const onError = createErrorHandler(options)
  const recordRequest = createRequestRecorder(metrics)
  // the router refuses an address before any hook runs
  const api = createFastify(options, (error, request, reply) => {
    onError(error, request, reply.header('x-correlation-id', request.id))
    recordRequest(request, reply)
  })

  api.setValidatorCompiler(createValidatorCompiler(faultsOf))
  // Our own answers are not validated a second time; the schemas of answers document them.
  api.setSerializerCompiler(() => JSON.stringify)
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })

  api.setErrorHandler(onError)
  api.setNotFoundHandler(() => {
    throw new Problem('route-not-found', 'There is nothing at this address')
  })

  api.decorate('stopping', { hasBegun: false })
  api.decorateRequest('logFields', null)
  api.decorateRequest('caller')
  api.decorateRequest('span', null)
  if (tracing?.isOn) traceRequests(api, prefix, tracing)
  api.addHook('onRequest', (request, reply, done) => {
    reply.header('x-correlation-id', request.id)
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
  if (authenticate) requireCaller(api, authenticate)
  shedLoad(api, { ...admission, prefix, metrics })
  if (limit) limitRoutes(api, prefix, limit)
  dropIdleConnectionsOnClose(api)

  await collectOpenApi(api, openapi)
  api.route({
    method: 'GET',
    url: `${prefix}/v1/openapi.json`,
    schema: { hide: true },
    config: { open: true },
    handler: async () => api.swagger(),
  })
  return api
}

function createFastify(
  { log, bodyBytesMax, trustedProxies = 0 }: ApiOptions,
  onRouterError: (error: Error, request: FastifyRequest, reply: FastifyReply) => void,
) {
  return Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'correlationId',
    }),
    genReqId: correlationIdOf,
    bodyLimit: bodyBytesMax,
    trustProxy: trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies),
    requestTimeout: requestTimeoutMs,
    return503OnClosing: false,
    frameworkErrors: onRouterError,
    routerOptions: { maxParamLength: pathParamCharactersMax },
  }).withTypeProvider<ZodTypeProvider>()
}

// The hook goes on each closed route: an open one and an unknown address pay nothing for it.
function requireCaller(api: Api, authenticate: NonNullable<ApiOptions['authenticate']>): void {
  const findCaller: onRequestHookHandler = (request, _reply, done) => {
    const found = authenticate(request.headers)
    // a caller who is known already costs no promise
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

// A kept-alive connection whose last answer went out after closing began would otherwise hold the server open.
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
