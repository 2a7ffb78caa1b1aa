import type { Api } from '@despatch/http/api'
import { retryAfterSeconds } from '@despatch/http/unavailable-answer'
import proxy from '@fastify/http-proxy'

const prefix = '/administration'
const answerMsMax = 60_000

const administrationSilent = {
  errors: [
    {
      status: '503 SERVICE_UNAVAILABLE',
      code: 'ServiceUnavailable',
      detail: 'Administration does not answer',
    },
  ],
}

/** Hands on what the pages ask of administration, which they find on the origin that they came from. */
export async function registerAdministrationProxy(api: Api, upstream: string): Promise<void> {
  await api.register(async (scope) => {
    // Bodies are handed on as they come; nothing is parsed here.
    scope.removeAllContentTypeParsers()
    await scope.register(proxy, {
      upstream,
      prefix,
      rewritePrefix: prefix,
      // The request has its line, which tells the route; the address may hold what somebody looks for.
      disableRequestLogging: true,
      http: { requestOptions: { timeout: answerMsMax } },
      replyOptions: {
        rewriteRequestHeaders: ({ ip }, headers) => ({
          ...headers,
          // Sign-in is limited by address: administration is told who called here.
          'x-forwarded-for': [headers['x-forwarded-for'], ip].filter(Boolean).join(', '),
        }),
        onError: (reply) => {
          void reply.code(503).header('retry-after', retryAfterSeconds()).send(administrationSilent)
        },
      },
    })
  })
}
