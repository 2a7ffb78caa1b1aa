import type { Caller } from '@despatch/domain/access/caller'
import type { UsageDecision, UsageWindow } from '@despatch/domain/access/usage'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addToLogLine } from './request-log.ts'

/**
 * Decides whether a request is let through. A closed route has a caller, an open one only the address that the request
 * comes from. Undefined: nothing limits it.
 */
export type LimitUsage = (request: {
  caller?: Caller
  ip: string
}) => UsageDecision | undefined | Promise<UsageDecision | undefined>

/**
 * Asks `limit` about each request to the routes below the prefix that are added from now on. Health and metrics are
 * outside it. Call it after the hook that finds the caller is in place, so that it runs after that and before the body
 * is read.
 */
export function limitRoutes(api: FastifyInstance, prefix: string, limit: LimitUsage): void {
  // A decision that is there at once costs no promise: most are.
  const obeyLimit = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: () => void,
  ): Promise<void> | undefined => {
    const decision = limit(request)
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
 * Tells the caller of its limits in the fields of draft-ietf-httpapi-ratelimit-headers-11, and throws the problem of a
 * refusal, whose Retry-After says in whole seconds when to come again.
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

// The windows of a plan are one array for all its callers until the plan is read again.
const policies = new WeakMap<readonly UsageWindow[], string>()

function renderPolicy(windows: readonly UsageWindow[]): string {
  const known = policies.get(windows)
  if (known !== undefined) return known
  const policy = windows
    .map(({ name, requests, seconds }) => `"${name}";q=${requests};w=${seconds}`)
    .join(', ')
  policies.set(windows, policy)
  return policy
}

function renderLeft(left: readonly UsageWindow[]): string {
  return left
    .map(({ name, requests, seconds }) => `"${name}";r=${requests};t=${seconds}`)
    .join(', ')
}
