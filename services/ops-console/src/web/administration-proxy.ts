import type { Api } from '@despatch/http/api'
import { refuseUnforwardablePath } from '@despatch/http/forwardable-path'
import { retryAfterSeconds } from '@despatch/http/unavailable-answer'
import proxy from '@fastify/http-proxy'

const prefix = '/administration'
const answerMsMax = 60_000

const administrationSilent = {
  errors: [
    {
      status: '503 SERVICE_UNAVAILABLE',
      code: 'ServiceUnavailable',
      detail: 'Administration does not respond',
    },
  ],
}

/** Forwards the pages' requests to administration, so that the pages call only their own origin. */
export async function registerAdministrationProxy(api: Api, upstream: string): Promise<void> {
  await api.register(async (scope) => {
    // Bodies are forwarded unchanged; the console parses nothing.
    scope.removeAllContentTypeParsers()
    await scope.register(proxy, {
      upstream,
      prefix,
      rewritePrefix: prefix,
      preHandler: refuseUnforwardablePath,
      // The API already logs one line with the route. The proxy's line would contain the URL, which may hold search
      // terms.
      disableRequestLogging: true,
      http: { requestOptions: { timeout: answerMsMax } },
      replyOptions: {
        rewriteRequestHeaders: ({ ip, headers: { host } }, headers) => ({
          ...headers,
          // Administration limits sign-ins by address, so it requires the caller's address.
          'x-forwarded-for': [headers['x-forwarded-for'], ip].filter(Boolean).join(', '),
          // It compares Origin with the host that the browser asked for.
          'x-forwarded-host': headers['x-forwarded-host'] ?? host,
        }),
        onError: (reply) => {
          void reply.code(503).header('retry-after', retryAfterSeconds()).send(administrationSilent)
        },
      },
    })
  })
}
