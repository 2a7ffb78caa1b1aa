import type { UnknownMembers } from '@despatch/domain/json/unknown-members'
import type { FastifyInstance, preValidationHookHandler } from 'fastify'
import type { z } from 'zod'

declare module 'fastify' {
  interface FastifyRequest {
    /** The members of the body that its schema does not name. Null if the API does not read them. */
    unknownMembers: UnknownMembers | null
    /** Returns the name that was probably meant by the last name of an unknown path. Null as `unknownMembers`. */
    suggestMember: MemberReader['suggest'] | null
  }
}

/** Returns what reads the bodies of a schema: it may remove members, and returns those that are unknown. */
export type MemberReaderOf = (schema: z.ZodType) => MemberReader
type MemberReader = {
  read(body: unknown): UnknownMembers
  suggest(path: string): string | undefined
}

export const unknownMembersHeader = 'X-Unknown-Members'

/** Reads the members of each body before it is validated. If some are unknown, a header of the response counts them. */
export function readMembers(api: FastifyInstance, readerOf: MemberReaderOf): void {
  api.decorateRequest('unknownMembers', null)
  api.decorateRequest('suggestMember', null)
  api.addHook('onRoute', (route) => {
    const { body } = (route.schema ?? {}) as { body?: z.ZodType }
    if (!body) return
    const reader = readerOf(body)
    const readBody: preValidationHookHandler = (request, reply, done) => {
      request.unknownMembers = reader.read(request.body)
      request.suggestMember = reader.suggest
      const { count } = request.unknownMembers
      if (count > 0) reply.header(unknownMembersHeader, count)
      done()
    }
    route.preValidation = [readBody, ...[route.preValidation ?? []].flat()]
  })
}
