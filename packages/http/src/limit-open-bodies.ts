import type { FastifyInstance, onRequestHookHandler } from 'fastify'

/** Bodies of open routes are at most some kibibytes. */
const bodyMsMax = 10_000

/**
 * Closes the connection of a request to an open route registered after this call if its body does not arrive within ten
 * seconds. Until then, it uses one of the places of the process.
 */
export function limitOpenBodies(api: FastifyInstance): void {
  const limitBody: onRequestHookHandler = ({ raw }, _reply, done) => {
    const timer = setTimeout(() => {
      // without an error, the reader of the body would wait for ever
      if (!raw.complete) raw.destroy(new Error('The body of the request took too long'))
    }, bodyMsMax)
    raw.once('close', () => clearTimeout(timer))
    done()
  }
  api.addHook('onRoute', (route) => {
    const isBodiless = [route.method].flat().every((method) => /^(GET|HEAD)$/i.test(method))
    if (!route.config?.open || isBodiless) return
    // First, because the rest of a refused body is read too.
    route.onRequest = [limitBody, ...[route.onRequest ?? []].flat()]
  })
}
