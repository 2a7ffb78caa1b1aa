import type { Caller } from '@despatch/domain/access/caller'
import type { UsageDecision, UsageWindow } from '@despatch/domain/access/usage'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addToLogLine } from './request-log.ts'
import { bodyBytesOf } from './shed-load.ts'

/**
 * Decides whether a request is let through. An authenticated route has a caller; an open route has only the caller's
 * network address. Returns undefined if nothing limits the request.
 */
export type LimitUsage = (request: {
  caller?: Caller
  ip: string
  /** The declared length of the body, or the largest accepted body if it declares none. */
  bodyBytes: number
}) => UsageDecision | undefined | Promise<UsageDecision | undefined>

/**
 * Calls `limit` for each request to a route below the prefix registered after this call. Health and metrics are outside
 * the prefix. Call it after the hook that authenticates the caller is in place, so that the limit applies after
 * authentication and before the body is read.
 */
export function limitRoutes(api: FastifyInstance, prefix: string, limit: LimitUsage): void {
  // Most decisions are synchronous and need no promise.
  const obeyLimit = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): Promise<void> | undefined => {
    const { caller, ip } = request
    const decision = limit({ caller, ip, bodyBytes: bodyBytesOf(request) })
    if (decision instanceof Promise) return decision.then((later) => obey(later, reply))
    obey(decision, reply)
    done()
  }
  api.addHook('onRoute', (route) => {
    if (!route.url.startsWith(`${prefix}/`)) return
    route.onRequest = [...[route.onRequest ?? []].flat(), obeyLimit]
  })
}

/**
 * Sets the rate limit headers of draft-ietf-httpapi-ratelimit-headers-11. If the decision is a refusal, throws its
 * problem with Retry-After in whole seconds.
 */
function obey(decision: UsageDecision | undefined, reply: FastifyReply): void {
  if (!decision) return
  const { windows, left, refusal } = decision
  if (windows.length > 0) reply.header('ratelimit-policy', renderPolicy(windows))
  if (left.length > 0) reply.header('ratelimit', renderLeft(left))
  if (!refusal) return
  addToLogLine(reply.request, { limit: refusal.reason })
  reply.header('retry-after', String(refusal.retryAfterSeconds))
  throw refusal.problem
}

// All callers of a plan share one windows array until the plan is read again.
const policies = new WeakMap<readonly UsageWindow[], string>()

function renderPolicy(windows: readonly UsageWindow[]): string {
  const known = policies.get(windows)
  if (known !== undefined) return known
  const policy = windows
    .map(({ name, requests, seconds, unit }) =>
      unit === undefined
        ? `"${name}";q=${requests};w=${seconds}`
        : `"${name}";q=${requests * 1024};qu="content-bytes";w=${seconds}`,
    )
    .join(', ')
  policies.set(windows, policy)
  return policy
}

function renderLeft(left: readonly UsageWindow[]): string {
  return left
    .map(
      ({ name, requests, seconds, unit }) =>
        // A window of kibibytes is written in bytes.
        `"${name}";r=${unit === undefined ? requests : requests * 1024};t=${seconds}`,
    )
    .join(', ')
}
