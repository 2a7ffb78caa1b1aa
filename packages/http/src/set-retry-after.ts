import type { FastifyReply } from 'fastify'

/** Sets Retry-After, in whole seconds, if the refusal says when to try again. */
export function setRetryAfter(
  reply: FastifyReply,
  { retryAfterSeconds }: { retryAfterSeconds?: number },
): void {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
}
